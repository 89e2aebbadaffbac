#pragma once
// Histories for store tests: records in, commits as the engine would make them out; and everything a store says, as one
// text.

#include "schema/records.hpp"
#include "store/store.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whence::test {

/// Numbers vertices and transactions as the engine does and turns records into commits. Records may name earlier
/// records and any of their own batch.
class History {
 public:
  [[nodiscard]] store::Commit put(std::vector<schema::Record> records, std::string idempotency_key = {});

  /// A commit that adds nothing and deprecates `unit_id`.
  [[nodiscard]] store::Commit deprecate(std::string const& unit_id);

  /// The next commits are numbered as if those after `tx` had never been. `vertices` is how many there were then.
  void rewind(schema::TxId tx, std::uint32_t vertices);

  [[nodiscard]] schema::TxId tx() const noexcept { return tx_; }
  [[nodiscard]] std::uint32_t vertices() const noexcept { return next_vertex_; }

 private:
  store::Commit begin();

  schema::TxId tx_ = schema::TxId{0};
  std::uint32_t next_vertex_ = 0;
  std::map<std::pair<schema::RecordType, std::string>, schema::VertexId> vertices_;
};

/// Three transactions of every kind: units and a response under an idempotency key, feedback, a deprecation.
void append_small_history(store::Store& store, History& history);

/// A batch of `count` responses, each made from `uses` of the units `cu_0`..`cu_<units-1>`; `salt` keeps ids apart.
[[nodiscard]] std::vector<schema::Record> many_responses(std::size_t count, std::size_t uses, std::size_t units,
                                                         std::string const& salt);
[[nodiscard]] std::vector<schema::Record> many_units(std::size_t count);

/// Everything the store says: epoch, head, log, rows, deprecations, records, kept answers. Equal text means equal
/// content.
[[nodiscard]] Result<std::string> describe(store::Store const& store);

/// `describe` of the store in `directory`, in a child process: nothing where it does not open, does not read or kills
/// its reader.
[[nodiscard]] std::optional<std::string> describe_contained(std::filesystem::path const& directory);

/// Runs `work` in a forked child that then exits, and returns how it ended, as of waitpid.
int run_in_child(std::function<int()> const& work);

}  // namespace whence::test
