#pragma once
// A checkpoint: a file beside the data file that holds what reading the log up to one transaction makes, as bytes whose
// meaning the caller knows. README.md has the layout.

#include "schema/base/digest.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "store/files/files.hpp"
#include "store/lmdb/head.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace whence::store {

/// What a checkpoint is of: each has a file of its own.
enum class CheckpointOf : std::uint8_t {
  graph,    ///< ids and edges, no content
  columns,  ///< texts of records: whatever removes contents removes the file before it is acknowledged
};

/// The name of its file in the store's directory.
[[nodiscard]] constexpr char const* file_name_of(CheckpointOf what) noexcept {
  return what == CheckpointOf::graph ? "graph.checkpoint" : "columns.checkpoint";
}

/// Whose state a checkpoint holds, and of which moment.
struct CheckpointHead {
  std::uint64_t layout = 0;  ///< of its bytes, as the caller numbers it
  Epoch epoch = {};
  schema::TxId tx = schema::TxId{0};
  schema::Digest leaf = {};             ///< leaf hash of the log's entry `tx`, and so of all before it
  schema::TxId seen = schema::TxId{0};  ///< no transaction above it has left a trace in the bytes
  std::uint64_t vertices = 0;           ///< as of `tx`
  std::uint64_t revisions = 0;          ///< likewise
};

/// Writes a checkpoint under another name. Goes away without a trace unless `finish` was called.
class CheckpointWriter {
 public:
  /// What an earlier attempt left is replaced. Throws std::system_error.
  CheckpointWriter(std::filesystem::path const& directory, CheckpointOf what);
  CheckpointWriter(CheckpointWriter const&) = delete;
  CheckpointWriter& operator=(CheckpointWriter const&) = delete;
  ~CheckpointWriter();

  /// Throws std::system_error, as all below.
  void write(std::span<std::byte const> bytes);
  /// The next `count` bytes may come back with any value.
  void skip(std::uint64_t count);
  /// Makes it durable and gives it its name. Returns its bytes on disk. Fails where `remove_checkpoint` was called
  /// since it began.
  std::uint64_t finish(CheckpointHead const& head);

 private:
  struct Piece {
    std::uint64_t place;
    std::uint64_t bytes;
    std::uint64_t sum;
  };
  friend class MappedCheckpoint;

  void end_piece();
  void put(std::uint64_t place, std::span<std::byte const> bytes);

  std::filesystem::path target_;
  std::filesystem::path path_;
  Descriptor file_;
  std::vector<Piece> pieces_;
  std::vector<std::byte> buffer_;
  std::uint64_t at_ = 0;  ///< of the image, the buffer included
  std::uint64_t unflushed_ = 0;
  bool is_finished_ = false;
};

/// A checkpoint in memory: writable, and what is written never reaches the file.
class MappedCheckpoint {
 public:
  /// Maps the checkpoint in `directory` without reading its bytes. `not_found` where there is none, `corrupt` where its
  /// head or its list of pieces does not hold or the file has another length. Throws std::system_error.
  [[nodiscard]] static Result<MappedCheckpoint> open(std::filesystem::path const& directory, CheckpointOf what);
  MappedCheckpoint(MappedCheckpoint&& other) noexcept;
  MappedCheckpoint& operator=(MappedCheckpoint&& other) noexcept;
  ~MappedCheckpoint();

  [[nodiscard]] CheckpointHead const& head() const noexcept { return head_; }
  /// Aligned to 4,096.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept;

  /// Reads all and compares the checksums, on as many threads as there are processors, at most four. `corrupt` names
  /// a piece that is damaged. Before anything is written. With `on_piece`, which it calls before each piece of at most
  /// 4 MiB, on this thread alone.
  [[nodiscard]] Result<void> check(std::function<void()> const& on_piece = {}) const;

 private:
  MappedCheckpoint() = default;

  CheckpointHead head_;
  std::byte* map_ = nullptr;
  std::uint64_t map_bytes_ = 0;
  std::uint64_t image_bytes_ = 0;
  std::vector<CheckpointWriter::Piece> pieces_;
};

/// Removes the checkpoint, durably, and what an attempt left. Throws std::system_error.
void remove_checkpoint(std::filesystem::path const& directory, CheckpointOf what);

}  // namespace whence::store
