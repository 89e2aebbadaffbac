#pragma once
// The index of texts beside a store: `search.db`, made of the log and made again whenever that is simpler than mending.

#include "schema/base/digest.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/search/text_index.hpp"
#include "schema/types/record_type.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace whence::store {

using schema::TxId;
using schema::VertexId;

/// The file cannot be used any more: `remove` it and begin again.
class TextDatabaseDamaged : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The place in a log up to which the index holds its texts.
struct IndexPlace {
  TxId tx{0};
  std::uint32_t vertices = 0;  ///< of the store then
  schema::Digest leaf = {};    ///< leaf hash of `tx`; zero for 0
};

/// What an index gives for words.
struct IndexHits {
  IndexPlace place = {};                ///< what it had read
  std::vector<VertexId> vertices = {};  ///< newest first, each once
  bool is_cut = false;
};

/// The index's file in the directory of its store.
inline constexpr auto text_index_file_name = "search.db";
/// Vertices whose first texts share one table.
inline constexpr std::uint32_t shard_vertices = 32'768;

/// An open index. `find` may be called from any thread; all else belongs to one. Each member throws
/// TextDatabaseDamaged, or std::runtime_error where the disk or the memory is to blame: then nothing was changed.
///
/// Each vertex has one text, of its first content, in the table of its shard. One that is revised gets a further text
/// of all its contents so far in a table of revised ones, which makes earlier ones of the vertex needless.
class TextDatabase {
 public:
  /// Opens `file`, or makes it. One that is of another format or `epoch`, that is damaged, or that a crash of the
  /// system may have left torn (it was not closed, and the system was started since) is removed first.
  [[nodiscard]] static std::unique_ptr<TextDatabase> open(std::filesystem::path const& file, std::string const& epoch);
  /// Flushes the file to disk and notes that it did.
  ~TextDatabase();

  /// Removes the file with what SQLite keeps beside it.
  static void remove(std::filesystem::path const& file);

  [[nodiscard]] IndexPlace place() const;

  // Writing: `begin`, then texts, then `commit` or `roll_back`.
  void begin();
  void add(VertexId vertex, schema::RecordType type, std::string_view text);
  void add_revised(VertexId vertex, schema::RecordType type, std::string_view text);
  /// Removes the texts of a shard.
  void clear_shard(std::uint32_t shard);
  /// Removes the texts of every table of revised ones that has one of `vertices`; returns whose texts these were.
  [[nodiscard]] std::vector<VertexId> clear_revised(std::vector<VertexId> const& vertices);
  void commit(IndexPlace const& place);
  void roll_back() noexcept;

  /// Takes what was removed out of the file beside, too; false where a reader is in the way.
  [[nodiscard]] bool forget_removed();

  /// The vertices that have a text with all words of `query`, below `query.vertices`; of revised ones perhaps more.
  [[nodiscard]] IndexHits find(schema::WordQuery const& query, schema::Interrupt const& interrupt) const;

  /// Words from `first` on and before `end` in the newest texts that were never revised, those of most texts first; at
  /// most `near_words_max`.
  [[nodiscard]] std::vector<std::string> words_from(std::string_view first, std::string_view end,
                                                    schema::Interrupt const& interrupt) const;

  [[nodiscard]] std::uint64_t file_bytes() const;

 private:
  struct Impl;
  explicit TextDatabase(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace whence::store
