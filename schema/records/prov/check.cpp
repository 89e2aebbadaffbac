// Checks of records from PROV documents of others: a declared thing has attributes, and relations lead to nodes.
#include "schema/base/report.hpp"
#include "schema/checks/check_context.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/records/prov/rules.hpp"
#include "schema/types/ref.hpp"

namespace whence::schema {
namespace {

void check_other(std::string const& other, Path const& at, Report& report) {
  if (auto const ref = parse_ref(other); !ref) report.add(at, "ref", shown(other), ref.error().message);
}

void check_relation(ProvRelation const& relation, Path const& at, Report& report) {
  if (find_prov_relation(relation.relation) == nullptr) {
    report.add(Path{at, "relation"}, "relation", shown(relation.relation), "is no relation of PROV");
  }
  if (relation.other) check_other(*relation.other, Path{at, "other"}, report);
  Path const list{at, "others"};
  if (relation.other && relation.others) report.add(list, "other_twice", "", "the object is one or a list, not both");
  if (relation.others) {
    for (std::size_t i = 0; i < relation.others->size(); ++i) check_other((*relation.others)[i], Path{list, i}, report);
  }
  if (relation.further) {
    Path const further{at, "further"};
    for (std::size_t i = 0; i < relation.further->size(); ++i) {
      check_other((*relation.further)[i], Path{further, i}, report);
    }
  }
  if (relation.place && !relation.id) {
    report.add(Path{at, "place"}, "place", shown(*relation.place),
               "only a relation with a name has a place in an array");
  }
  if (!relation.attributes.json.starts_with('{')) {
    report.add(Path{at, "attributes"}, "type", relation.attributes.json, "must be an object");
  }
}

}  // namespace

/// Leaves out members that say nothing.
void prepare(ProvNode& node, CheckContext const& /*context*/) {
  if (node.is_declared == true) node.is_declared.reset();
  if (node.relations && node.relations->empty()) node.relations.reset();
  if (node.prefixes && node.prefixes->entries.empty()) node.prefixes.reset();
}

void check_joined(ProvNode const& node, CheckContext const& /*context*/, Path const& root, Report& report) {
  Path const attributes{root, "attributes"};
  if (node.is_declared && node.attributes) {
    report.add(attributes, "declared", node.attributes->json, "what is only mentioned has none");
  }
  if (!node.is_declared && !node.attributes) report.add(attributes, "required", "", "is required where it is declared");
  if (node.bundle.has_value() != node.bundle_iri.has_value()) {
    report.add(Path{root, "bundle_iri"}, "bundle", "", "a bundle has its name and its IRI");
  }
  if (!node.relations) return;
  Path const list{root, "relations"};
  for (std::size_t i = 0; i < node.relations->size(); ++i) {
    check_relation((*node.relations)[i], Path{list, i}, report);
  }
}

}  // namespace whence::schema
