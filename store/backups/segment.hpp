#pragma once
// A file of a backup that holds transactions one after the other, compressed: a segment.

#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/base/sink.hpp"
#include "store/files/files.hpp"
#include "store/files/output_file.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace whence::store {

/// No transaction is longer: a batch has at most 16 MiB of JSON, its texts once more.
inline constexpr std::uint64_t segment_message_bytes_max = std::uint64_t{1} << 30;

/// Opens a file for reading that is a regular file and no link. `not_found` where it is not there, `corrupt` where it
/// is something else. Throws std::system_error.
[[nodiscard]] Result<Descriptor> open_plain_file(std::filesystem::path const& path);

/// Reads a file to its end: returns how many bytes it has, and sets their SHA-256. `path` is for messages.
[[nodiscard]] std::uint64_t digest_of(Descriptor const& file, std::filesystem::path const& path,
                                      schema::Digest& digest);

/// Whether the file has these bytes: `corrupt` names it where not, `not_found` where it is not there. O(bytes).
[[nodiscard]] Result<void> check_file(std::filesystem::path const& path, std::uint64_t bytes,
                                      schema::Digest const& sha256);

/// Writes a segment: one zstd frame (RFC 8878) of messages, each after its length in 8 bytes, little-endian. Throws
/// std::system_error.
class SegmentWriter {
 public:
  /// Makes the file, or makes it anew.
  explicit SegmentWriter(std::filesystem::path const& path);
  ~SegmentWriter();
  SegmentWriter(SegmentWriter const&) = delete;
  SegmentWriter& operator=(SegmentWriter const&) = delete;

  void add(std::span<std::byte const> message);
  /// Its bytes are on disk.
  [[nodiscard]] schema::FileSummary finish();

 private:
  enum class End : std::uint8_t { is_open, is_finished };
  void write(std::span<std::byte const> bytes, End end);

  struct Free {
    void operator()(ZSTD_CCtx_s* context) const noexcept;
  };
  OutputFile file_;
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
  std::vector<char> room_;
};

/// Reads a segment. Trusts nothing: whatever the file says, at most `segment_message_bytes_max` are held.
class SegmentReader {
 public:
  /// Fails as `open_plain_file`.
  [[nodiscard]] static Result<SegmentReader> open(std::filesystem::path const& path);

  /// The next message; nothing at the end. A view until the next call. Fails with `corrupt` where the file is cut short
  /// or does not unpack.
  [[nodiscard]] Result<std::optional<std::span<std::byte const>>> next();

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const noexcept;
  };
  explicit SegmentReader(Descriptor file);
  /// Unpacks until `bytes` are in `unpacked_` from `begin_` on, or the frame has ended.
  [[nodiscard]] Result<void> fill(std::size_t bytes);

  Descriptor file_;
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
  std::vector<char> packed_;
  std::size_t packed_at_ = 0;
  std::size_t packed_end_ = 0;
  bool is_whole_ = false;  ///< the frame has ended
  std::vector<std::byte> unpacked_;
  std::size_t begin_ = 0;  ///< of what comes next in `unpacked_`
};

}  // namespace whence::store
