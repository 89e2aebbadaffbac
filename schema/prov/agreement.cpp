// Names are resolved with the prefixes of the record itself, as the writer of documents does.
#include "schema/prov/agreement.hpp"

#include "schema/base/report.hpp"
#include "schema/json/json.hpp"
#include "schema/json/prov_values.hpp"
#include "schema/prov/names.hpp"
#include "schema/prov/statements.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/types/ref.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::schema::json {
namespace {

namespace bj = boost::json;

constexpr std::string_view rule = "agreement";
constexpr std::string_view own_namespace = "urn:whence:";

class Agreement {
 public:
  Agreement(ProvNode const& node, Report& report) : node_(node), report_(report) {
    if (!node.prefixes) return;
    for (auto const& [prefix, iri] : node.prefixes->entries) names_.add(prefix, iri);
  }

  void check() {
    Path const root;
    auto const id = id_of(node_.qname);
    if (node_.id != id) report(Path{root, "id"}, node_.id, "is another than the one that `qname` gives: " + id);
    if (node_.bundle && *node_.bundle != node_.bundle_iri && !prov_bundle_prefix(node_)) {
      report(Path{root, "bundle_iri"}, *node_.bundle_iri, "must end as `bundle` does after its prefix");
    }
    if (!node_.relations) return;
    Path const list{root, "relations"};
    for (std::size_t i = 0; i < node_.relations->size(); ++i) check((*node_.relations)[i], Path{list, i});
  }

 private:
  void report(Path const& at, std::string_view seen, std::string message) {
    report_.add(at, rule, shown(seen), std::move(message));
  }

  [[nodiscard]] std::string id_of(std::string_view name) const {
    return prov_id(names_.resolve(name), node_.bundle_iri ? std::string_view{*node_.bundle_iri} : std::string_view{});
  }

  void check(ProvRelation const& relation, Path const& at) {
    auto const& info = *find_prov_relation(relation.relation);
    auto const document = parse_with_integers(relation.attributes.json);
    if (!document || !document->value.is_object()) return;
    auto const& members = document->value.get_object();
    Path const attributes{at, "attributes"};
    auto const subject = names_in(members, info.subject, attributes);
    auto const object = names_in(members, info.object, attributes);
    bool const has_refs = relation.other || relation.others;
    if (subject.empty() && !object.empty() && !has_refs) {  // kept with its second argument, for want of the first
      if (object.size() == 1 && id_of(object.front()) == node_.id) return;
      return report(Path{at, "other"}, object.front(), "is required: the ref of `" + std::string(info.object) + "`");
    }
    if (!subject.empty() && (subject.size() > 1 || id_of(subject.front()) != node_.id)) {
      report(Path{attributes, info.subject}, subject.front(), "must name this record: a relation is kept with it");
    }
    check_objects(relation, info, object, members, at);
    check_further(relation, info, members, at);
  }

  /// The names that an argument gives.
  std::vector<std::string> names_in(bj::object const& members, std::string_view argument, Path const& at) {
    std::vector<std::string> names;
    auto const* const value = argument.empty() ? nullptr : members.if_contains(argument);
    if (value == nullptr) return names;
    auto const take = [&](bj::value const& each) {
      if (auto const name = name_in(each)) {
        names.emplace_back(*name);
      } else {
        report(Path{at, argument}, to_text(each), "must be a qualified name");
      }
    };
    auto const* const list = value->if_array();
    if (list == nullptr) take(*value);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) take((*list)[i]);
    return names;
  }

  void check_objects(ProvRelation const& relation, ProvRelationInfo const& info, std::vector<std::string> const& object,
                     bj::object const& members, Path const& at) {
    std::vector<std::string> refs = relation.others.value_or(std::vector<std::string>{});
    if (relation.other) refs.push_back(*relation.other);
    Path const place{at, relation.others ? "others" : "other"};
    if (object.empty()) return check_nameable(refs, place, info.object);
    if (refs.size() != object.size()) {
      return report(place, object.front(), "must have the ref of each name in `" + std::string(info.object) + "`");
    }
    auto const* const bundle = info.edge == EdgeType::prov_mention_of ? members.if_contains("prov:bundle") : nullptr;
    auto const described = bundle != nullptr ? name_in(*bundle) : std::nullopt;
    for (std::size_t i = 0; i < refs.size(); ++i) {
      bool const is_described =
          described && refs[i].ends_with(":" + prov_id(names_.resolve(object[i]), names_.resolve(*described)));
      if (!is_described) check_ref(refs[i], object[i], info.object, place);
    }
  }

  /// An argument that is left out is made of the ref when the record is written as PROV.
  void check_nameable(std::vector<std::string> const& refs, Path const& at, std::string_view argument) {
    for (auto const& text : refs) {
      auto const ref = parse_ref(text);
      if (!ref || !is_prov(ref->type) || !ref->id.starts_with("sha256-")) continue;
      return report(at, text, "has no name in it: give `" + std::string(argument) + "`");
    }
  }

  void check_ref(std::string const& text, std::string const& name, std::string_view argument, Path const& at) {
    auto const ref = parse_ref(text);
    if (!ref) return;
    auto const iri = names_.resolve(name);
    auto const own = ref_of_iri(iri);
    // One of our records may stand in a document under a name of others.
    bool const agrees = is_prov(ref->type) ? ref->id == id_of(name)
                                           : own == format_ref(*ref) || (!own && !iri.starts_with(own_namespace));
    if (!agrees) report(at, text, "is another thing than `" + std::string(argument) + "` names: " + iri);
  }

  void check_further(ProvRelation const& relation, ProvRelationInfo const& info, bj::object const& members,
                     Path const& at) {
    auto const refs = relation.further.value_or(std::vector<std::string>{});
    Path const place{at, "further"};
    auto const names = names_in(members, info.further, Path{at, "attributes"});
    if (!names.empty()) {
      if (refs.size() == 1 && names.size() == 1) return check_ref(refs.front(), names.front(), info.further, place);
      return report(place, names.front(), "must have the ref of `" + std::string(info.further) + "`, and no other");
    }
    if (refs.empty()) return;
    if (info.further.empty()) return report(place, refs.front(), "this relation has no argument for it");
    bool const is_implied = info.edge == EdgeType::prov_was_derived_from &&
                            (members.contains("prov:usage") || members.contains("prov:generation"));
    if (is_implied) return;
    if (refs.size() > 1) return report(place, refs[1], "`" + std::string(info.further) + "` is one");
    check_nameable(refs, place, info.further);
  }

  ProvNode const& node_;
  Report& report_;
  Namespaces names_;
};

}  // namespace

void check_agreement(IncomingRecord& incoming) {
  if (!incoming.is_usable || !incoming.violations.empty()) return;
  auto const* const node = prov_node_of(incoming.record);
  if (node == nullptr) return;
  Report report(incoming.violations);
  Agreement(*node, report).check();
}

}  // namespace whence::schema::json
