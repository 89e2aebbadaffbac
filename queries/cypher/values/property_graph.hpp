#pragma once
// The graph as a query sees it: nodes with labels, relations with a type, properties of both.

#include "queries/cypher/base/error.hpp"
#include "queries/cypher/values/value.hpp"
#include "schema/base/interrupt.hpp"
#include "schema/base/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries::cypher {

/// A label or a type by its number in one graph.
using NameId = std::uint32_t;

/// Seen from a node. `any` finds a loop once.
enum class Direction : std::uint8_t { out, in, any };

/// A relation with its ends.
struct RelationEnds {
  std::uint64_t id = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  NameId type = 0;

  [[nodiscard]] std::uint64_t other_end(std::uint64_t node) const noexcept { return from == node ? to : from; }
  [[nodiscard]] Relation in(PropertyGraph const* graph) const noexcept {
    return {.graph = graph, .id = id, .from = static_cast<std::uint32_t>(from), .to = static_cast<std::uint32_t>(to)};
  }
};

/// The moment that a part of a query asks about (`AT TX`, `AT TIME`).
struct Moment {
  bool is_time = false;
  std::int64_t tx = 0;     ///< a transaction number, where `is_time` is not set
  schema::Time time = {};  ///< to the nanosecond, as commits have it: one at this very time is included
};

/// How many nodes, relations and relations per node a planner may expect. Estimates; 0 where there are none.
struct Counts {
  double nodes = 0;
  double relations = 0;
};

/// A read-only property graph. Const members may be called by one thread at a time only, since implementations keep
/// caches; `neighbours`, `relations`, `expect` and `node_bound` by several.
/// Ids of nodes are below `node_bound()`, which is at most 2^32, so that sets of nodes can be bitmaps.
class PropertyGraph {
 public:
  virtual ~PropertyGraph() = default;

  [[nodiscard]] virtual std::uint64_t node_bound() const = 0;
  /// The number of a label or of a type; none where no node or relation has it.
  [[nodiscard]] virtual std::optional<NameId> find_label(std::string_view name) const = 0;
  [[nodiscard]] virtual std::optional<NameId> find_type(std::string_view name) const = 0;
  [[nodiscard]] virtual std::string type_name(NameId type) const = 0;
  /// A sentence on what paths of this type do not follow although it is in the graph; empty: they follow all.
  [[nodiscard]] virtual std::string_view gap(NameId /*type*/) const { return {}; }

  /// The nodes from `position` on, with the label where one is given: fills `out` from its start, moves `position`
  /// behind the last one, and returns how many there are. 0: no more. In ascending order of ids.
  [[nodiscard]] virtual std::size_t scan(std::optional<NameId> label, std::uint64_t& position,
                                         std::span<std::uint64_t> out) const = 0;
  [[nodiscard]] virtual bool has_label(std::uint64_t node, NameId label) const = 0;
  [[nodiscard]] virtual bool all_have_label(std::span<std::uint32_t const> nodes, NameId label) const;
  [[nodiscard]] virtual std::vector<std::string> labels_of(std::uint64_t node) const = 0;
  /// Null where the node has no such property.
  [[nodiscard]] virtual Value node_property(std::uint64_t node, std::string_view name) const = 0;
  [[nodiscard]] virtual Map node_properties(std::uint64_t node) const = 0;
  /// Properties of these nodes will be asked for: a graph that reads them from elsewhere may read them all at once.
  virtual void prefetch(std::span<std::uint64_t const> /*nodes*/) const {}
  /// The same of those of which it does not have all `properties` at hand.
  virtual void prefetch_unknown(std::span<std::uint64_t const> /*nodes*/,
                                std::span<std::string_view const> /*properties*/) const {}
  /// The nodes whose property has the value, where the graph has an index of it; none: there is no index.
  [[nodiscard]] virtual std::optional<std::vector<std::uint64_t>> find_nodes(std::optional<NameId> /*label*/,
                                                                             std::string_view /*property*/,
                                                                             Value const& /*value*/) const {
    return std::nullopt;
  }
  /// Whether `find_nodes` answers for this property.
  [[nodiscard]] virtual bool has_index(std::optional<NameId> /*label*/, std::string_view /*property*/) const {
    return false;
  }

  /// Whether no two nodes, of those with the label, have the same value of the property, and each has one.
  [[nodiscard]] virtual bool is_unique(std::optional<NameId> /*label*/, std::string_view /*property*/) const {
    return false;
  }
  /// Whether `node_property` knows most values of the property of nodes with the label without reading their records.
  [[nodiscard]] virtual bool is_at_hand(NameId /*label*/, std::string_view /*property*/) const { return false; }
  /// Whether `texts` knows most values of the property of nodes with the label.
  [[nodiscard]] virtual bool has_texts(NameId /*label*/, std::string_view /*property*/) const { return false; }
  /// Calls `visit(i, text)` for each of `nodes`, all with the label, whose property is known to be that text, or with
  /// nothing to be null, without reading them one by one; the text is valid during the call. The places of the others
  /// are returned.
  [[nodiscard]] virtual std::vector<std::size_t> texts(
      NameId label, std::span<std::uint32_t const> nodes, std::string_view property,
      std::function<void(std::size_t, std::optional<std::string_view> const&)> const& visit) const;
  /// Where the property is a moment given in UTC: its date, in days since 1970-01-01. None: it is no such moment, or
  /// that is not known without reading it.
  [[nodiscard]] virtual std::optional<std::int64_t> day_of(std::uint64_t /*node*/,
                                                           std::string_view /*property*/) const {
    return std::nullopt;
  }

  /// Appends the relations of a node, of any type where `types` is empty.
  virtual void relations(std::uint64_t node, Direction direction, std::span<NameId const> types,
                         std::vector<RelationEnds>& out) const = 0;
  /// Appends the other ends of these relations, in the same order, and where `ids` is given the relations' ids.
  virtual void neighbours(std::uint64_t node, Direction direction, std::span<NameId const> types,
                          std::vector<std::uint32_t>& nodes, std::vector<std::uint64_t>* ids) const;
  /// `neighbours` of these nodes will be asked for soon: a graph may begin to fetch them.
  virtual void expect(std::span<std::uint32_t const> /*nodes*/, Direction /*direction*/,
                      std::span<NameId const> /*types*/) const {}
  /// How many relations `neighbours` would find of each of `nodes`, which are some: fills `counts` from its start and
  /// returns for how many nodes, at least one. It stops behind the node with which `degrees_at_once` relations were
  /// looked at, so that the caller is asked in time whether to go on.
  [[nodiscard]] virtual std::size_t degrees(std::span<std::uint32_t const> nodes, Direction direction,
                                            std::span<NameId const> types, std::span<std::uint64_t> counts) const;
  static constexpr std::uint64_t degrees_at_once = 1U << 16U;
  /// Whether the time of `degrees` depends on the nodes alone, and not on how many relations they have.
  [[nodiscard]] virtual bool knows_degrees(Direction /*direction*/, std::span<NameId const> /*types*/) const {
    return false;
  }
  /// Whether all nodes that relations of these types lead to, seen from a node in this direction, have the label.
  [[nodiscard]] virtual bool leads_to(std::span<NameId const> /*types*/, Direction /*direction*/,
                                      NameId /*label*/) const {
    return false;
  }
  /// Each node at the end of a path of 1 to `most` relations, once, where the graph has a walk of its own for them;
  /// none: it has not. The start is among them where it lies on a circle. A stopped walk gives what it has.
  [[nodiscard]] virtual std::optional<std::vector<std::uint32_t>> walk(std::uint64_t /*start*/, Direction /*direction*/,
                                                                       std::span<NameId const> /*types*/,
                                                                       std::uint64_t /*most*/,
                                                                       schema::Interrupt const& /*interrupt*/) const {
    return std::nullopt;
  }
  [[nodiscard]] virtual NameId type_of(Relation const& relation) const = 0;
  [[nodiscard]] virtual Value relation_property(Relation const& relation, std::string_view name) const = 0;
  [[nodiscard]] virtual Map relation_properties(Relation const& relation) const = 0;

  /// Statistics: nodes with a label (all without one), and relations of a type (all without one).
  [[nodiscard]] virtual double count_nodes(std::optional<NameId> label) const = 0;
  [[nodiscard]] virtual double count_relations(std::optional<NameId> type) const = 0;

  /// The graph as it was at a moment; lives as long as this one. A graph without a past refuses.
  [[nodiscard]] virtual Outcome<PropertyGraph const*> at(Moment const& /*moment*/) const {
    return QueryError{.kind = ErrorKind::argument_error,
                      .detail = "NoPast",
                      .message = "this graph keeps no past moments",
                      .is_compile_time = false};
  }
};

/// What `elementId` gives of a node, in queries and in the nodes of Bolt: its ref, or its number in a graph without
/// refs.
[[nodiscard]] std::string element_id_of(PropertyGraph const& graph, std::uint64_t node);

}  // namespace whence::queries::cypher
