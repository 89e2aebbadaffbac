// zstd's streaming interface over a sink.

#include "queries/export/zstd_sink.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <istream>
#include <new>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>

#include <zstd.h>

namespace whence::exports {

struct ZstdSink::Stream {
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  void compress(std::string_view bytes, ZSTD_EndDirective mode, schema::Sink& out) {
    std::array<char, 1 << 16> buffer;
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    for (bool is_done = false; !is_done;) {
      ZSTD_outBuffer output{buffer.data(), buffer.size(), 0};
      auto const left = ZSTD_compressStream2(context.get(), &output, &input, mode);
      if (ZSTD_isError(left) != 0U) {
        throw std::system_error(ENOMEM, std::generic_category(), std::string("zstd: ") + ZSTD_getErrorName(left));
      }
      out.write({buffer.data(), output.pos});
      is_done = mode == ZSTD_e_end ? left == 0 : input.pos == input.size;
    }
  }

  std::unique_ptr<ZSTD_CCtx, Free> context{ZSTD_createCCtx()};
};

ZstdSink::ZstdSink(std::unique_ptr<schema::Sink> inner)
    : inner_(std::move(inner)), stream_(std::make_unique<Stream>()) {
  if (stream_->context == nullptr) throw std::bad_alloc();
}

ZstdSink::~ZstdSink() = default;

void ZstdSink::write(std::string_view bytes) {
  stream_->compress(bytes, ZSTD_e_continue, *inner_);
}

schema::FileSummary ZstdSink::finish() {
  stream_->compress({}, ZSTD_e_end, *inner_);
  return inner_->finish();
}

// A small file may say that it is as long as the disk. What repeats itself most takes a thousandth.
constexpr std::uint64_t plain_bytes_free = std::uint64_t{256} << 20;
constexpr std::uint64_t plain_times_max = 5000;

Result<void> unpack_zstd(std::istream& in, std::ostream& out) {
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> const context{ZSTD_createDCtx()};
  if (context == nullptr) throw std::bad_alloc();
  std::string packed(std::size_t{1} << 16, '\0');
  std::string plain(std::size_t{1} << 17, '\0');
  std::size_t left = 0;
  std::uint64_t came = 0;
  std::uint64_t unpacked = 0;
  while (in) {
    in.read(packed.data(), static_cast<std::streamsize>(packed.size()));
    ZSTD_inBuffer input{packed.data(), static_cast<std::size_t>(in.gcount()), 0};
    for (bool is_full = false; input.pos < input.size || is_full;) {
      ZSTD_outBuffer output{plain.data(), plain.size(), 0};
      left = ZSTD_decompressStream(context.get(), &output, &input);
      if (ZSTD_isError(left) != 0U) {
        return Error{.code = Errc::parse_error, .message = std::string("damaged zstd: ") + ZSTD_getErrorName(left)};
      }
      unpacked += output.pos;
      if (unpacked > plain_bytes_free && unpacked / plain_times_max > came + input.pos) {
        return Error{.code = Errc::limit_exceeded,
                     .message = "unpacked it would be more than 5,000 times as long: no file of records is"};
      }
      if (!out.write(plain.data(), static_cast<std::streamsize>(output.pos))) return {};  // the caller sees it
      is_full = output.pos == output.size;
    }
    came += input.size;
  }
  if (left != 0) return Error{.code = Errc::parse_error, .message = "damaged zstd: it ends too soon"};
  return {};
}

}  // namespace whence::exports
