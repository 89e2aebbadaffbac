// Walks over pairs of an entity and a column, from a version to its readings and on to the versions that facets say
// were made from the column. Where nothing is said of columns, the whole version and all its descendants rest on it.

#include "queries/lineage/columns.hpp"

#include "graph/snapshot/records.hpp"
#include "queries/view/order.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "schema/records/prov/dataset_name.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/types/edge_type.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::queries {

namespace {

namespace json = boost::json;
using schema::RecordType;
using schema::json::find_object;
using schema::json::text_at;

/// A column of a dataset by the id of the dataset, as facets name it.
struct ColumnName {
  std::string dataset;
  std::string column;

  friend auto operator<=>(ColumnName const&, ColumnName const&) = default;
};

/// What an entity of OpenLineage says of itself.
struct Known {
  bool is_reading = false;
  bool is_version = false;
  std::string declared_by = {};  ///< of a version: the job or the dataset that declares it; of a reading: of what it
                                 ///< read through what was declared
  bool has_columns = false;      ///< a facet says of which columns those of a version were made
  std::map<std::string, std::set<ColumnName>> columns = {};  ///< of a version: what each was made from
  std::set<ColumnName> of_all = {};                          ///< what all of its columns depend on
  std::set<std::string> wholes = {};  ///< datasets that it was made from, of whose columns nothing is said
};

/// The object that a text within an object holds.
json::object held_at(json::object const& from, std::string_view name) {
  auto parsed = schema::json::parse(text_at(from, name));
  return parsed && parsed->value.is_object() ? std::move(parsed->value.get_object()) : json::object{};
}

void add_names(json::object const& from, std::string_view list, std::set<ColumnName>& names,
               std::set<std::string>* wholes = nullptr) {
  for (auto const& each : schema::json::list_at(from, list)) {
    auto const* const input = each.if_object();
    if (input == nullptr) continue;
    auto const [space, name] =
        schema::dataset_name(std::string(text_at(*input, "namespace")), std::string(text_at(*input, "name")));
    auto column = std::string(text_at(*input, "field"));
    if (space.empty()) continue;
    auto id = schema::prov_id(schema::dataset_uri(space, name));
    if (!column.empty()) {
      names.insert({std::move(id), std::move(column)});
    } else if (wholes != nullptr && text_at(*input, "type") != "JOB") {
      wholes->insert(std::move(id));
    }
  }
}

/// What a facet `columnLineage` or `lineage` says of columns.
void add_columns(json::object const& facet, Known& known) {
  auto const* const fields = find_object(facet, "fields");
  for (auto const* const list : {"dataset", "inputs"}) add_names(facet, list, known.of_all, &known.wholes);
  known.has_columns = fields != nullptr || !known.of_all.empty();
  if (fields != nullptr) {
    for (auto const& field : *fields) {
      auto const* const of_field = field.value().if_object();
      auto& from = known.columns[std::string(field.key())];
      if (of_field == nullptr) continue;
      for (auto const* const list : {"inputFields", "inputs"}) add_names(*of_field, list, from);
    }
  }
  auto const forget = [&](std::set<ColumnName> const& names) {
    for (auto const& each : names) known.wholes.erase(each.dataset);
  };
  forget(known.of_all);
  for (auto const& [own, from] : known.columns) forget(from);
}

Known known_of(schema::ProvEntity const& entity) {
  Known known;
  auto const attributes =
      entity.attributes ? schema::json::parse(entity.attributes->json) : schema::json::parse(std::string_view{"{}"});
  if (!attributes || !attributes->value.is_object()) return known;
  auto const& members = attributes->value.get_object();
  auto const facts = held_at(members, "openlineage:facts");
  known.is_reading = facts.contains("reader");
  known.is_version = facts.contains("run");
  auto const* const writer = facts.if_contains(facts.contains("through") ? "of" : "run");
  if (writer != nullptr && writer->is_array()) known.declared_by = schema::json::to_sorted_text(*writer);
  auto const facets = held_at(members, "openlineage:facets");
  auto const* const lineage = find_object(facets, "lineage");
  bool const is_explicit = lineage != nullptr && (lineage->contains("inputs") || lineage->contains("fields"));
  auto const* const facet = is_explicit ? lineage : find_object(facets, "columnLineage");  // the one rules the other
  if (facet != nullptr) add_columns(*facet, known);
  return known;
}

class ColumnWalk {
 public:
  ColumnWalk(View const& view, graph::WalkLimits const& limits, schema::Interrupt const& interrupt)
      : view_(view), limits_(limits), interrupt_(interrupt), poll_(interrupt) {}

  Result<LineageWalk> run(VertexId start, std::string const& column, NodeFilter const& filter) {
    next_.push_back({start, column, 0});
    while (!next_.empty()) {
      if (poll_.must_stop()) return poll_.error();
      auto const step = std::move(next_.front());
      next_.pop_front();
      if (!done_.emplace(schema::number(step.entity), step.column).second) continue;
      if (auto const walked = walk_from(step); !walked) return walked.error();
      if (nodes_.size() > limits_.vertices_max) break;
    }
    for (auto const& [number, whole] : wholes_) {
      if (auto const walked = walk_whole(whole); !walked) return walked.error();
      if (nodes_.size() > limits_.vertices_max) break;
    }
    nodes_.erase(schema::number(start));
    for (auto const& [number, whole] : wholes_) found_.columns.erase(number);
    found_.is_cut_by_vertices = found_.is_cut_by_vertices || nodes_.size() > limits_.vertices_max;
    for (auto const& [number, node] : nodes_) {
      if (passes(view_.snapshot, filter, node.vertex, node.value)) found_.nodes.push_back(node);
    }
    std::ranges::sort(found_.nodes, [&](RankedNode const& a, RankedNode const& b) {
      if (a.depth != b.depth) return a.depth < b.depth;
      return compare_refs(view_.snapshot, a.vertex, b.vertex) < 0;
    });
    return std::move(found_);
  }

 private:
  struct Step {
    VertexId entity;
    std::string column;
    std::uint32_t depth;
  };

  /// Whether a node is within the depth; then it is one of the nodes.
  bool reach(VertexId vertex, std::uint32_t depth) {
    if (depth > limits_.depth) {
      found_.is_cut_by_depth = true;
      return false;
    }
    auto const [known, is_new] = nodes_.try_emplace(schema::number(vertex), RankedNode{vertex, depth, 1});
    if (!is_new) known->second.depth = std::min(known->second.depth, depth);
    return true;
  }

  void add_whole(VertexId vertex, std::uint32_t depth) {
    if (!reach(vertex, depth)) return;
    auto const [known, is_new] = wholes_.try_emplace(schema::number(vertex), RankedNode{vertex, depth, 1});
    if (!is_new) known->second.depth = std::min(known->second.depth, depth);
  }

  /// Whether a reading is of what stood behind the version that is its cause here.
  [[nodiscard]] bool is_through(VertexId reading, VertexId cause) const {
    auto const read = known_.find(schema::number(reading));
    auto const from = known_.find(schema::number(cause));
    return read != known_.end() && from != known_.end() && !read->second.declared_by.empty() && from->second.is_version;
  }

  /// Those who read the dataset of a declared version through it: what stood behind it then is no matter here, since
  /// what it says of columns stands too.
  Result<std::vector<VertexId>> readers_through(VertexId version) {
    std::vector<VertexId> readers;
    auto const known = known_.find(schema::number(version));
    if (known == known_.end() || !known->second.is_version || known->second.declared_by.empty()) return readers;
    auto const by = known->second.declared_by;
    auto const relations = view_.snapshot.relations_from(version);
    for (std::size_t i = 0; i < relations.size(); ++i) {
      if (view_.snapshot.type(relations.edges[i]) != schema::EdgeType::prov_specialization_of) continue;
      auto const effects = effects_of(relations.vertices[i]);
      if (auto read = know(effects); !read) return read.error();
      for (auto const each : effects) {
        auto const reading = known_.find(schema::number(each));
        if (reading != known_.end() && reading->second.is_reading && reading->second.declared_by == by)
          readers.push_back(each);
      }
    }
    return readers;
  }

  [[nodiscard]] std::vector<VertexId> effects_of(VertexId vertex) const {
    std::vector<VertexId> effects;
    auto const all = view_.snapshot.effects(vertex);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (limits_.edge_types.contains(schema::named_type(view_.snapshot.type(all.edges[i]))))
        effects.push_back(all.vertices[i]);
    }
    return effects;
  }

  /// What entities say of themselves, of those that are there.
  Result<void> know(std::span<VertexId const> vertices) {
    std::vector<VertexId> missing;
    for (auto const each : vertices) {
      bool const is_entity = view_.snapshot.type(each) == RecordType::prov_entity;
      if (is_entity && known_.try_emplace(schema::number(each)).second) missing.push_back(each);
    }
    return graph::read_those_there(view_.snapshot, *view_.records, missing,
                                   [&](std::size_t place, schema::Record&& record) {
                                     auto const* const entity = std::get_if<schema::ProvEntity>(&record);
                                     if (entity != nullptr) known_[schema::number(missing[place])] = known_of(*entity);
                                     return true;
                                   });
  }

  Result<void> walk_from(Step const& step) {
    auto effects = effects_of(step.entity);
    effects.push_back(step.entity);
    if (auto read = know(effects); !read) return read;
    effects.pop_back();
    auto through = readers_through(step.entity);
    if (!through) return through.error();
    for (auto const each : *through) {
      if (!reach(each, step.depth + 1)) continue;
      if (auto walked = walk_reading(each, step); !walked) return walked;
    }
    for (auto const each : effects) {
      auto const known = known_.find(schema::number(each));
      if (known == known_.end() || !known->second.is_reading || is_through(each, step.entity)) {
        add_whole(each, step.depth + 1);
      } else if (reach(each, step.depth + 1)) {
        if (auto walked = walk_reading(each, step); !walked) return walked;
      }
    }
    return {};
  }

  /// The versions that were made from what was read, by a facet or by the run.
  Result<void> walk_reading(VertexId reading, Step const& step) {
    std::set<std::string> names;  // of the dataset, as facets may name it
    auto const causes = view_.snapshot.causes(reading);
    for (std::size_t i = 0; i < causes.size(); ++i) names.emplace(view_.snapshot.id(causes.vertices[i]));
    std::vector<std::pair<VertexId, std::vector<VertexId>>> runs;  // each with what it wrote
    for (auto const each : effects_of(reading)) {
      bool const is_run = view_.snapshot.type(each) == RecordType::prov_activity;
      runs.emplace_back(each, is_run ? effects_of(each) : std::vector{each});
    }
    for (auto const& [run, written] : runs) {
      if (auto read = know(written); !read) return read;
      for (auto const version : written) {
        auto const depth = step.depth + (version == run ? 2U : 3U);
        bool const is_made = walk_version(version, names, step.column, depth);
        if (is_made && version != run) (void)reach(run, step.depth + 2);
      }
    }
    return {};
  }

  /// Whether a version rests on a column of what was read.
  bool walk_version(VertexId version, std::set<std::string> const& names, std::string const& column,
                    std::uint32_t depth) {
    auto const known = known_.find(schema::number(version));
    bool const has_columns = known != known_.end() && known->second.has_columns;
    auto const has = [&](std::set<ColumnName> const& from) {
      return std::ranges::any_of(
          from, [&](ColumnName const& each) { return each.column == column && names.contains(each.dataset); });
    };
    auto const is_whole = [&](std::string const& name) { return known->second.wholes.contains(name); };
    if (!has_columns || has(known->second.of_all) || std::ranges::any_of(names, is_whole)) {
      add_whole(version, depth);
      return true;
    }
    bool is_made = false;
    for (auto const& [own, from] : known->second.columns) {
      if (!has(from)) continue;
      is_made = true;
      if (!reach(version, depth)) continue;
      next_.push_back({version, own, depth});
      found_.columns[schema::number(version)].insert(own);
    }
    return is_made;
  }

  Result<void> walk_whole(RankedNode const& whole) {
    auto limits = limits_;
    limits.depth -= whole.depth;
    auto walk = walk_lineage(view_.snapshot, whole.vertex, graph::Direction::descendants, limits, {}, interrupt_, true);
    if (!walk) return walk.error();
    for (auto const& node : walk->nodes) (void)reach(node.vertex, whole.depth + node.depth);
    found_.is_cut_by_depth = found_.is_cut_by_depth || walk->is_cut_by_depth;
    found_.is_cut_by_vertices = found_.is_cut_by_vertices || walk->is_cut_by_vertices;
    found_.cut.lead_beyond = found_.cut.lead_beyond || walk->cut.lead_beyond;
    auto& cut = found_.cut.relations;
    for (auto const& each : walk->cut.relations) {
      if (std::ranges::find(cut, each.edge, &graph::CutRelation::edge) == cut.end()) cut.push_back(each);
    }
    for (auto const each : walk->dangling) {
      if (std::ranges::find(found_.dangling, each) == found_.dangling.end()) found_.dangling.push_back(each);
    }
    return {};
  }

  View const& view_;
  graph::WalkLimits limits_;
  schema::Interrupt const& interrupt_;
  schema::Poll poll_;
  LineageWalk found_;
  std::deque<Step> next_;
  std::set<std::pair<std::uint32_t, std::string>> done_;
  std::map<std::uint32_t, RankedNode> nodes_;
  std::map<std::uint32_t, RankedNode> wholes_;  // all of these rests on the column
  std::unordered_map<std::uint32_t, Known> known_;
};

}  // namespace

Result<LineageWalk> walk_column(View const& view, VertexId start, std::string const& column,
                                graph::WalkLimits const& limits, NodeFilter const& filter,
                                schema::Interrupt const& interrupt) {
  return ColumnWalk(view, limits, interrupt).run(start, column, filter);
}

}  // namespace whence::queries
