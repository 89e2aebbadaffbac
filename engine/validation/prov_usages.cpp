// Names of usages on both sides of an entity.
#include "engine/validation/prov_usages.hpp"

#include "schema/json/json.hpp"
#include "schema/json/prov_values.hpp"
#include "schema/prov/names.hpp"
#include "schema/prov/statements.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace whence::engine {
namespace {

using schema::EdgeType;
using schema::ProvNode;
using schema::ProvRelation;
using schema::VertexId;

constexpr std::string_view usage_member = "prov:usage";

ProvNode* prov_node_in(schema::Record& record) {
  return std::visit(
      []<class T>(T& each) -> ProvNode* {
        if constexpr (std::is_base_of_v<ProvNode, T>) {
          return &each;
        } else {
          return nullptr;
        }
      },
      record);
}

/// A usage as documents name it: its IRI and the bundle in which it has that, with the entity that was used.
struct UsageName {
  std::string bundle;
  std::string iri;
  std::string entity;  ///< ref

  friend auto operator<=>(UsageName const&, UsageName const&) = default;
};

schema::json::Namespaces namespaces_of(ProvNode const& node) {
  schema::json::Namespaces names;
  if (!node.prefixes) return names;
  for (auto const& [prefix, iri] : node.prefixes->entries) names.add(prefix, iri);
  return names;
}

/// Whether compact attributes have a member.
bool has_attribute(ProvRelation const& relation, std::string_view name) {
  return relation.attributes.json.find("\"" + std::string(name) + "\":") != std::string::npos;
}

/// Calls `visit(name)` for each usage of an activity that has a name.
template <class Visit>
void for_each_usage(ProvNode const& node, Visit const& visit) {
  if (!node.relations) return;
  auto const names = namespaces_of(node);
  for (ProvRelation const& each : *node.relations) {
    if (each.relation != "used" || !each.other || !each.id || each.id->starts_with("_:")) continue;
    visit(UsageName{node.bundle_iri.value_or(std::string{}), names.resolve(*each.id), *each.other});
  }
}

/// Calls `visit(name, relation)` for each derivation that names its activity by a usage alone, and whose activity is
/// not known yet.
template <class Node, class Visit>
void for_each_derivation(Node& node, Visit const& visit) {
  if (!node.relations) return;
  auto const names = namespaces_of(node);
  for (auto& each : *node.relations) {
    bool const is_asked = each.relation == "wasDerivedFrom" && each.other && has_attribute(each, usage_member) &&
                          !has_attribute(each, "prov:activity");
    if (!is_asked || each.further) continue;
    auto const document = schema::json::parse(each.attributes.json);
    auto const* const members = document ? document->value.if_object() : nullptr;
    auto const* const value = members == nullptr ? nullptr : members->if_contains(usage_member);
    auto const name = value == nullptr ? std::nullopt : schema::json::name_in(*value);
    if (!name || name->starts_with("_:")) continue;
    visit(UsageName{node.bundle_iri.value_or(std::string{}), names.resolve(*name), *each.other}, each);
  }
}

/// Whether the relation got it.
bool give_activity(ProvRelation& relation, std::string const& activity) {
  auto& further = relation.further ? *relation.further : relation.further.emplace();
  if (std::ranges::find(further, activity) != further.end()) return false;
  further.push_back(activity);
  return true;
}

class UsageJoin {
 public:
  UsageJoin(WriteBatch& batch, graph::Snapshot const& known, Contents& contents)
      : batch_(batch), known_(known), contents_(contents) {}

  Result<std::vector<NeededRecord>> run() {
    gather();
    if (auto const read = read_known(); !read) return read.error();
    complete_given();
    complete_known();
    return std::move(needed_);
  }

 private:
  struct Usage {
    std::string activity;  ///< ref
    std::uint32_t index;   ///< of the record in the batch
  };

  void gather() {
    for (std::uint32_t i = 0; i < batch_.records.size(); ++i) {
      auto& given = batch_.records[i];
      auto* const node = given.is_usable && given.violations.empty() ? prov_node_in(given.record) : nullptr;
      if (node == nullptr) continue;
      for_each_usage(*node, [&](UsageName&& name) {
        used_.insert(name.entity);
        usages_.try_emplace(std::move(name), Usage{schema::format_ref(schema::type_of(given.record), node->id), i});
      });
      for_each_derivation(*node, [&](UsageName const& name, ProvRelation const&) { derived_.insert(name.entity); });
    }
  }

  /// Reads the activities that used what the batch has derivations from, and what was derived from what its activities
  /// used.
  Result<void> read_known() {
    auto const add = [&](std::set<std::string> const& entities, EdgeType type, std::vector<VertexId>& into) {
      for (std::string const& text : entities) {
        auto const ref = schema::parse_ref(text);
        auto const entity = ref ? known_.find(ref->type, ref->id) : std::nullopt;
        if (!entity) continue;
        for (auto const& near : {known_.effects(*entity), known_.relations_to(*entity)}) {
          for (std::size_t i = 0; i < near.size(); ++i) {
            bool const has_room = activities_.size() + entities_.size() < usage_records_max;
            bool const is_asked = schema::named_type(known_.type(near.edges[i])) == type;
            if (has_room && is_asked) into.push_back(near.vertices[i]);
          }
        }
      }
      std::ranges::sort(into);
      into.erase(std::unique(into.begin(), into.end()), into.end());
    };
    add(derived_, EdgeType::prov_used, activities_);
    add(used_, EdgeType::prov_was_derived_from, entities_);
    auto wanted = activities_;
    wanted.insert(wanted.end(), entities_.begin(), entities_.end());
    return wanted.empty() ? Result<void>{} : contents_.fetch(std::move(wanted));
  }

  void complete_given() {
    if (derived_.empty()) return;
    std::map<UsageName, std::string> activities;
    for (VertexId const vertex : activities_) {
      auto const* const record = contents_.find(vertex);
      auto const* const node = record == nullptr ? nullptr : schema::json::prov_node_of(*record);
      if (node == nullptr) continue;
      for_each_usage(*node, [&](UsageName&& name) {
        activities.try_emplace(std::move(name), schema::format_ref(schema::type_of(*record), node->id));
      });
    }
    for (auto& given : batch_.records) {
      auto* const node = given.is_usable && given.violations.empty() ? prov_node_in(given.record) : nullptr;
      if (node == nullptr) continue;
      for_each_derivation(*node, [&](UsageName const& name, ProvRelation& relation) {
        auto const here = usages_.find(name);
        auto const known = activities.find(name);
        if (here != usages_.end()) {
          give_activity(relation, here->second.activity);
        } else if (known != activities.end()) {
          give_activity(relation, known->second);
        }
      });
    }
  }

  void complete_known() {
    for (VertexId const vertex : entities_) {
      auto const* const record = contents_.find(vertex);
      auto const* const node = record == nullptr ? nullptr : schema::json::prov_node_of(*record);
      if (node == nullptr) continue;
      ProvNode more{.id = node->id,
                    .qname = node->qname,
                    .bundle = node->bundle,
                    .bundle_iri = node->bundle_iri,
                    .prefixes = node->prefixes,
                    .is_declared = false};
      std::uint32_t index = 0;
      for_each_derivation(*node, [&](UsageName const& name, ProvRelation const& relation) {
        auto const usage = usages_.find(name);
        auto completed = relation;
        if (usage == usages_.end() || !give_activity(completed, usage->second.activity)) return;
        index = std::max(index, usage->second.index);
        if (!more.relations) more.relations.emplace();
        more.relations->push_back(std::move(completed));
      });
      if (!more.relations) continue;
      auto changed = *record;
      *prov_node_in(changed) = std::move(more);
      needed_.push_back({.record = std::move(changed), .index = index, .adds_to_known = true});
    }
  }

  WriteBatch& batch_;
  graph::Snapshot const& known_;
  Contents& contents_;
  std::map<UsageName, Usage> usages_;
  std::set<std::string> used_;     ///< entities of those
  std::set<std::string> derived_;  ///< entities that the batch has derivations from
  std::vector<VertexId> activities_;
  std::vector<VertexId> entities_;
  std::vector<NeededRecord> needed_;
};

bool has_prov(WriteBatch const& batch) {
  return std::ranges::any_of(batch.records, [](schema::IncomingRecord const& each) {
    return each.is_usable && schema::json::prov_node_of(each.record) != nullptr;
  });
}

}  // namespace

Result<std::vector<NeededRecord>> join_usages(WriteBatch& batch, graph::Snapshot const& known, Contents& contents) {
  if (batch.grows_captured || !has_prov(batch)) return std::vector<NeededRecord>{};
  return UsageJoin(batch, known, contents).run();
}

}  // namespace whence::engine
