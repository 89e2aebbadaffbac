#pragma once
// Histories for store tests: records in, commits as the engine would make them out; and the whole content of a store,
// as one text.

#include "schema/records/records.hpp"
#include "store/log/store.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whence::test {

/// A record known by its type and id.
struct Name {
  schema::RecordType type;
  std::string id;

  friend auto operator<=>(Name const&, Name const&) = default;
};

/// A further content of a record, and its edges to others.
struct Revise {
  struct Edge {
    schema::EdgeType type;
    Name to;
    std::optional<double> value = {};
  };
  schema::Record record;
  schema::RevisionKind kind = schema::RevisionKind::whole;
  std::vector<Edge> edges = {};
};

/// What one transaction does. Records may name any of their own batch; a record that is both put and hidden is hidden
/// in its earlier life.
struct Changes {
  std::vector<schema::Record> put = {};
  std::vector<Revise> revise = {};
  std::vector<Name> hide = {};
  std::vector<std::string> deprecate = {};  ///< ids of units
  std::vector<std::string> blobs = {};
  std::string idempotency_key = {};
};

/// Numbers vertices, revisions and transactions as the engine does and turns records into commits.
class History {
 public:
  [[nodiscard]] store::Commit make(Changes changes);
  [[nodiscard]] store::Commit put(std::vector<schema::Record> records, std::string idempotency_key = {});

  /// A commit that adds nothing and deprecates `unit_id`.
  [[nodiscard]] store::Commit deprecate(std::string const& unit_id);

  /// The next commits are numbered as if those after `tx` had never been. `vertices` is how many there were then. What
  /// was revised or hidden since stays so here: a copy of a history from before goes back farther.
  void rewind(schema::TxId tx, std::uint32_t vertices);

  [[nodiscard]] schema::TxId tx() const noexcept { return tx_; }
  [[nodiscard]] std::uint32_t vertices() const noexcept { return next_vertex_; }
  [[nodiscard]] schema::VertexId vertex(Name const& name) const { return vertices_.at(name); }

 private:
  store::Commit begin();
  void add_puts(std::vector<schema::Record> const& records, store::Commit& commit);
  void add_revisions(std::vector<Revise> const& revisions, store::Commit& commit);
  [[nodiscard]] std::vector<store::RowEdge> edges_of(schema::Record const& record) const;

  schema::TxId tx_ = schema::TxId{0};
  std::uint32_t next_vertex_ = 0;
  std::map<Name, schema::VertexId> vertices_;  ///< visible ones
  std::map<schema::VertexId, std::uint32_t> revisions_;
};

/// An attachment of message `m` whose text is kept as a blob.
[[nodiscard]] schema::XmlMessageAttachment blob_attachment(std::string const& text);

/// A text too long for a page of its table.
[[nodiscard]] std::string long_text();

/// The content of `record` with a salt that follows from it: two histories made alike have equal logs.
[[nodiscard]] schema::stored::Sealed sealed(schema::Record const& record,
                                            schema::RevisionKind kind = schema::RevisionKind::whole);

/// Three transactions with changes of every kind, contents and edges of every kind, a blob and a kept answer: units and
/// a response under an idempotency key; feedback, a conversation with attachments and the records derived from them;
/// revisions, a deletion, a deprecation. 9 vertices, 11 contents, 1 blob.
[[nodiscard]] std::vector<store::Commit> small_history(History& history);
void append_small_history(store::Store& store, History& history);

/// A batch of `count` responses, each made from `uses` of the units `cu_0`..`cu_<units-1>`; `salt` keeps ids apart.
[[nodiscard]] std::vector<schema::Record> many_responses(std::size_t count, std::size_t uses, std::size_t units,
                                                         std::string const& salt);
[[nodiscard]] std::vector<schema::Record> many_units(std::size_t count);

/// The whole content of the store: epoch, log, rows, revisions, deletions, deprecations, contents, the blobs they name,
/// kept answers. Equal text means equal content.
[[nodiscard]] Result<std::string> describe(store::Store const& store);

/// `describe` of the store in `directory`, in a child process: nothing where it does not open, does not read or kills
/// its reader.
[[nodiscard]] std::optional<std::string> describe_contained(std::filesystem::path const& directory);

/// Runs `work` in a forked child that then exits, and returns how it ended, as of waitpid.
int run_in_child(std::function<int()> const& work);

}  // namespace whence::test
