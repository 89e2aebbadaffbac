// zstd's simple interface. Contexts are kept: making one costs more than packing a short text.

#include "store/packing/codec.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <string>
#include <system_error>

#include <zdict.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace whence::store {
namespace {

constexpr std::size_t sample_content_bytes_max = std::size_t{16} << 10;

/// Every frame begins with these bytes, so they are not stored.
constexpr std::array zstd_mark{std::byte{0x28}, std::byte{0xb5}, std::byte{0x2f}, std::byte{0xfd}};

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

template <class Pointer>
Pointer made(Pointer pointer) {
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}

std::size_t checked(std::size_t code, char const* call) {
  if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  if (ZSTD_isError(code) != 0U)
    throw std::system_error(ENOMEM, std::generic_category(), std::string(call) + ": " + ZSTD_getErrorName(code));
  return code;
}

Error bad_frame() {
  return Error{Errc::corrupt, "a packed value does not unpack"};
}

}  // namespace

void FreeZstd::operator()(ZSTD_CCtx_s* context) const noexcept {
  ZSTD_freeCCtx(context);
}
void FreeZstd::operator()(ZSTD_CDict_s* dictionary) const noexcept {
  ZSTD_freeCDict(dictionary);
}
void FreeZstd::operator()(ZSTD_DDict_s* dictionary) const noexcept {
  ZSTD_freeDDict(dictionary);
}

UnpackDictionary::UnpackDictionary(std::span<std::byte const> bytes)
    : prepared_{made(ZSTD_createDDict(bytes.data(), bytes.size()))} {}

PackDictionary::PackDictionary(std::span<std::byte const> bytes, int level)
    : prepared_{made(ZSTD_createCDict(bytes.data(), bytes.size(), level))} {}

Compressor::Compressor(int level) : context_{made(ZSTD_createCCtx())} {
  checked(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level), "ZSTD_CCtx_setParameter");
  checked(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_dictIDFlag, 0), "ZSTD_CCtx_setParameter");
}

bool Compressor::append(std::span<std::byte const> content, PackDictionary const* dictionary, Bytes& out) {
  std::size_t const begin = out.size();
  std::size_t const room = ZSTD_compressBound(content.size());
  out.resize(begin + room);
  checked(ZSTD_CCtx_refCDict(context_.get(), dictionary == nullptr ? nullptr : dictionary->get()),
          "ZSTD_CCtx_refCDict");
  std::size_t const written = checked(
      ZSTD_compress2(context_.get(), out.data() + begin, room, content.data(), content.size()), "ZSTD_compress2");
  auto const frame = out.begin() + static_cast<std::ptrdiff_t>(begin);
  std::size_t const kept = written - zstd_mark.size();
  bool const is_shorter = kept < content.size();
  if (is_shorter) out.erase(frame, frame + static_cast<std::ptrdiff_t>(zstd_mark.size()));
  out.resize(begin + (is_shorter ? kept : 0));
  return is_shorter;
}

Result<void> decompress(std::span<std::byte const> frame, UnpackDictionary const* dictionary, Bytes& content) {
  thread_local std::unique_ptr<ZSTD_DCtx, FreeContext> const context{made(ZSTD_createDCtx())};
  thread_local Bytes whole;
  whole.assign(zstd_mark.begin(), zstd_mark.end());
  put_bytes(whole, frame);
  unsigned long long const size = ZSTD_getFrameContentSize(whole.data(), whole.size());
  // The two codes for "unknown" and "no frame" are the greatest numbers there are.
  if (size > packed_content_bytes_max) return bad_frame();
  std::size_t const begin = content.size();
  content.resize(begin + static_cast<std::size_t>(size));
  std::size_t const read =
      ZSTD_decompress_usingDDict(context.get(), content.data() + begin, content.size() - begin, whole.data(),
                                 whole.size(), dictionary == nullptr ? nullptr : dictionary->get());
  if (ZSTD_isError(read) != 0U || read != size) return bad_frame();
  return {};
}

void Samples::add(std::span<std::byte const> content) {
  if (is_enough() || content.empty()) return;
  auto const sample = content.first(std::min(content.size(), sample_content_bytes_max));
  put_bytes(bytes, sample);
  sizes.push_back(sample.size());
}

void Samples::go_back_to(Mark mark) {
  bytes.resize(mark.bytes);
  sizes.resize(mark.sizes);
}

std::optional<Bytes> train_dictionary(Samples const& samples, std::size_t bytes_max) {
  Bytes dictionary(bytes_max);
  std::size_t const size = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), samples.bytes.data(),
                                                 samples.sizes.data(), static_cast<unsigned>(samples.sizes.size()));
  if (ZDICT_isError(size) != 0U) return std::nullopt;
  dictionary.resize(size);
  return dictionary;
}

}  // namespace whence::store
