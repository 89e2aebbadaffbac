#pragma once
// Texts made smaller with zstd (RFC 8878) and a trained dictionary: the frames alone, without tables.

#include "schema/base/error.hpp"
#include "store/rows/bytes.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_CDict_s;
struct ZSTD_DDict_s;

namespace whence::store {

/// More is neither packed nor unpacked: what a damaged frame says of its size is not believed beyond this.
inline constexpr std::size_t packed_content_bytes_max = std::size_t{64} << 20;

/// What the last dictionary is trained from, and how long one may become. 512 KiB took 40 to 150 ms of one core.
inline constexpr std::size_t sample_bytes_enough = std::size_t{512} << 10;
inline constexpr std::size_t dictionary_bytes_max = std::size_t{64} << 10;

/// A table gets a dictionary as soon as there is something to learn from, since a small store would else never have
/// one, and a better one when there is enough. A longer one, or one in between, takes more room in a store of 1,000
/// exchanges than it saves there. With what is before them they fill whole pages of LMDB.
struct Training {
  std::size_t sample_bytes;
  std::size_t dictionary_bytes_max;
};
inline constexpr std::array trainings = {Training{std::size_t{24} << 10, (std::size_t{8} << 10) - 64},
                                         Training{sample_bytes_enough, (std::size_t{32} << 10) - 64}};

/// zstd's levels: for what a writer waits for, and for what is packed once and for all: level 19 saves 2 % more and
/// takes 2.5 times longer. Unpacking costs the same.
inline constexpr int pack_level_quick = 3;
inline constexpr int pack_level_thorough = 12;

struct FreeZstd {
  void operator()(ZSTD_CCtx_s* context) const noexcept;
  void operator()(ZSTD_CDict_s* dictionary) const noexcept;
  void operator()(ZSTD_DDict_s* dictionary) const noexcept;
};

/// A dictionary made ready for unpacking. May be used by any number of threads at once.
class UnpackDictionary {
 public:
  explicit UnpackDictionary(std::span<std::byte const> bytes);
  [[nodiscard]] ZSTD_DDict_s const* get() const noexcept { return prepared_.get(); }

 private:
  std::unique_ptr<ZSTD_DDict_s, FreeZstd> prepared_;
};

/// A dictionary made ready for packing.
class PackDictionary {
 public:
  explicit PackDictionary(std::span<std::byte const> bytes, int level = pack_level_quick);
  [[nodiscard]] ZSTD_CDict_s const* get() const noexcept { return prepared_.get(); }

 private:
  std::unique_ptr<ZSTD_CDict_s, FreeZstd> prepared_;
};

/// Packs one content after the other. Belongs to one thread.
class Compressor {
 public:
  explicit Compressor(int level = pack_level_quick);

  /// Appends the frame of `content`, without zstd's mark, to `out`. `dictionary` may be null; it
  /// has a level of its own. Returns false, with `out`
  /// as it was, where the frame is not shorter than the content. O(content).
  [[nodiscard]] bool append(std::span<std::byte const> content, PackDictionary const* dictionary, Bytes& out);

 private:
  std::unique_ptr<ZSTD_CCtx_s, FreeZstd> context_;
};

/// Appends to `content` what `Compressor::append` made the frame from. `corrupt` where the frame is damaged, of another
/// dictionary or says that its content has more than `packed_content_bytes_max` bytes. Callable from any thread.
[[nodiscard]] Result<void> decompress(std::span<std::byte const> frame, UnpackDictionary const* dictionary,
                                      Bytes& content);

/// Contents from which a dictionary is trained, one after the other.
struct Samples {
  Bytes bytes;
  std::vector<std::size_t> sizes;

  /// How much there was at some time.
  struct Mark {
    std::size_t bytes = 0;
    std::size_t sizes = 0;
  };

  /// Adds the first 16 KiB of a content, unless there is enough.
  void add(std::span<std::byte const> content);
  [[nodiscard]] Mark mark() const noexcept { return {bytes.size(), sizes.size()}; }
  /// Forgets what was added since.
  void go_back_to(Mark mark);
  [[nodiscard]] bool is_enough() const noexcept { return bytes.size() >= sample_bytes_enough; }
};

/// Nothing where the samples are too few or too alike.
[[nodiscard]] std::optional<Bytes> train_dictionary(Samples const& samples,
                                                    std::size_t bytes_max = dictionary_bytes_max);

}  // namespace whence::store
