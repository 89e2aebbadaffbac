// A body is unpacked piece by piece and given up beyond the bound, so that a small one that becomes large costs no more
// than that. Members of gzip (RFC 1952) and frames of zstd (RFC 8878) one after the other are one body.

#include "net/http/content_coding.hpp"

#include <algorithm>
#include <memory>

#include <boost/beast/core/string.hpp>
#include <zlib.h>
#include <zstd.h>

namespace whence::net {

namespace {

constexpr std::size_t piece_bytes = std::size_t{64} << 10;
constexpr int gzip_window_bits = 15 + 16;  ///< 32 KiB, and gzip's head and checksum
constexpr int zstd_window_log_max = 27;    ///< 128 MiB is what the format's own programs accept

bool is_named(std::string_view coding, std::string_view name) noexcept {
  return boost::beast::iequals(boost::beast::string_view{coding.data(), coding.size()}, name);
}

Error too_large(std::size_t bytes_max) {
  return {.code = Errc::limit_exceeded,
          .message = "the body has more than " + std::to_string(bytes_max) + " bytes when unpacked"};
}

Error damaged(std::string_view coding) {
  return {.code = Errc::parse_error, .message = "the body is not " + std::string{coding}};
}

Result<std::string> unpack_gzip(std::string_view body, std::size_t bytes_max) {
  z_stream stream{};
  if (inflateInit2(&stream, gzip_window_bits) != Z_OK) throw std::bad_alloc{};
  std::unique_ptr<z_stream, int (*)(z_stream*)> const end(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));  // zlib does not write to it
  stream.avail_in = static_cast<uInt>(body.size());
  std::string out;
  while (true) {
    auto const before = out.size();
    out.resize(before + piece_bytes);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(piece_bytes);
    auto const state = inflate(&stream, Z_NO_FLUSH);
    out.resize(before + piece_bytes - stream.avail_out);
    if (out.size() > bytes_max) return too_large(bytes_max);
    if (state == Z_STREAM_END && stream.avail_in == 0) return out;
    bool const has_next_member = state == Z_STREAM_END && inflateReset(&stream) == Z_OK;
    if (state != Z_OK && !has_next_member) return damaged("gzip");
    if (stream.avail_in == 0 && stream.avail_out != 0) return damaged("gzip");
  }
}

Result<std::string> unpack_zstd(std::string_view body, std::size_t bytes_max) {
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> const stream(ZSTD_createDStream(), ZSTD_freeDStream);
  if (!stream) throw std::bad_alloc{};
  ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, zstd_window_log_max);
  ZSTD_inBuffer in{body.data(), body.size(), 0};
  std::string out;
  while (true) {
    auto const before = out.size();
    out.resize(before + piece_bytes);
    ZSTD_outBuffer piece{out.data() + before, piece_bytes, 0};
    auto const left = ZSTD_decompressStream(stream.get(), &piece, &in);
    out.resize(before + piece.pos);
    if (ZSTD_isError(left) != 0) return damaged("zstd");
    if (out.size() > bytes_max) return too_large(bytes_max);
    bool const is_at_end = in.pos == in.size;
    if (is_at_end && left == 0) return out;
    if (is_at_end && piece.pos < piece.size) return damaged("zstd");
  }
}

}  // namespace

bool is_known_coding(std::string_view coding) noexcept {
  return coding.empty() || is_named(coding, "identity") || is_named(coding, "gzip") || is_named(coding, "zstd");
}

Result<std::string> decode_content(std::string_view body, std::string_view coding, std::size_t bytes_max) {
  if (is_named(coding, "gzip")) return unpack_gzip(body, bytes_max);
  if (is_named(coding, "zstd")) return unpack_zstd(body, bytes_max);
  if (body.size() > bytes_max) return too_large(bytes_max);
  return std::string{body};
}

}  // namespace whence::net
