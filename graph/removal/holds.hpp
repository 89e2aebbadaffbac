#pragma once
// What must stay, since it is held or too young, or says what was removed and by whom: it does not expire, and is
// neither deleted nor purged.

#include "graph/removal/of_person.hpp"
#include "graph/removal/retention_min.hpp"
#include "graph/snapshot/snapshot.hpp"
#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/records/records.hpp"
#include "schema/types/record_type.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace whence::graph {

/// A query of a hold: the records of one type for which it is true.
struct HeldQuery {
  schema::RecordType type;
  std::function<bool(Snapshot const& known, schema::VertexId vertex, schema::Record const& record)> matches;
};

/// Reads the JSON of a query. Fails with `invalid_params` where it is none.
using ReadHeldQuery = std::function<Result<HeldQuery>(std::string_view text)>;

/// What decides what must stay beside the records that say it.
struct Keeping {
  RetentionMin minimum = {};
  ReadHeldQuery const* read_query = nullptr;  ///< null or empty: a hold by query lets nothing of its store be removed
};

/// The vertices that the holds of a snapshot hold, and those that are younger than the least age of their type.
class Holds {
 public:
  /// Reads the holds that are not cleared. A hold of refs holds these and what would be purged with them, one of a
  /// person what there is of the person (of_person.hpp), one of a topic its messages, their attachments, and what was
  /// extracted from them or answers them; each also itself. O(1) where there is no hold, else O(what is held and its
  /// neighbours). A hold of a query holds the records that match when it is asked, deleted ones too, and log records
  /// that tell or rate an answer that matches. Fails as `read`, and with `precondition` where a query cannot be read.
  [[nodiscard]] static Result<Holds> make(Snapshot const& known, ReadRecord const& read, Keeping const& keeping);

  /// The ref of a hold that holds `vertex`, or the rule for which it is too young (`--retention-min Response=30d`);
  /// empty where it may go. Valid as long as this. O(1), and O(queries of its type) after a read of the record, of a
  /// log record also of its answers. Fails as `read`.
  [[nodiscard]] Result<std::string_view> find(schema::VertexId vertex) const;

  /// Whether all of `vertices`, which the request names at `path`, may go. A violation (`precondition`) for the first
  /// that is held, which names the hold (rule "held"); else for the first that is too young, which names its rule, how
  /// many of which types are, and when the last may go (rule "retention_min"). O(vertices) calls of `find`; fails as it
  /// does.
  [[nodiscard]] Result<void> check_free(std::span<schema::VertexId const> vertices, std::string_view path) const;

 private:
  struct Query {
    HeldQuery held;
    std::uint32_t hold;  // place in `refs_`
  };

  Holds(Snapshot const& known, ReadRecord read, RetentionMin const& minimum);

  void add(std::span<schema::VertexId const> vertices, std::uint32_t hold);
  [[nodiscard]] Result<void> add_query(schema::Hold const& hold, ReadHeldQuery const* read_query);
  [[nodiscard]] Result<std::string_view> find_hold(schema::VertexId vertex) const;
  [[nodiscard]] Result<std::string_view> find_match(schema::VertexId vertex) const;
  [[nodiscard]] Result<std::string_view> find_match_of_told(schema::VertexId log) const;
  [[nodiscard]] Result<void> check_old(std::span<schema::VertexId const> vertices, std::string_view path) const;

  Snapshot known_;
  ReadRecord read_;
  RetentionMin minimum_;
  std::array<std::string, schema::record_type_count> rules_;  // of `minimum_` as they are shown
  std::vector<std::string> refs_;                             // of holds
  std::vector<Query> queries_;
  std::unordered_map<std::uint32_t, std::uint32_t> by_vertex_;  // place in `refs_` by vertex number
};

}  // namespace whence::graph
