// Reading in passes: the prefixes and bundles; what sections declare; the relations with their arguments; what these
// mean, first where an argument has a type, since one of any type takes what a typed one says of its thing. Only then
// is it known which ids there are.
#include "schema/prov/document.hpp"

#include "schema/base/limits.hpp"
#include "schema/base/report.hpp"
#include "schema/json/json.hpp"
#include "schema/json/prov_values.hpp"
#include "schema/prov/join.hpp"
#include "schema/prov/names.hpp"
#include "schema/prov/own_export.hpp"
#include "schema/prov/things.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/types/ref.hpp"
#include "schema/wire/codec.hpp"
#include "schema/wire/decode.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <boost/json/monotonic_resource.hpp>

namespace whence::schema::json {
namespace {

namespace bj = boost::json;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::optional<RecordType> kind_of_section(std::string_view name) {
  if (name == "entity") return RecordType::prov_entity;
  if (name == "activity") return RecordType::prov_activity;
  if (name == "agent") return RecordType::prov_agent;
  return std::nullopt;
}

/// The arguments of a derivation that name relations of its activity, with their sections.
constexpr auto derivation_parts = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"prov:usage", "used"}, {"prov:generation", "wasGeneratedBy"}});

/// A number of more digits than 64 bits hold, within a typed literal, becomes its text.
void flatten_numbers(bj::value& value) {
  if (auto* const list = value.if_array()) {
    for (bj::value& each : *list) flatten_numbers(each);
    return;
  }
  auto* const object = value.if_object();
  if (object == nullptr) return;
  auto* const text = object->if_contains("$");
  if (text != nullptr && text->is_object()) {
    auto const* const digits = text->get_object().if_contains("$");
    if (digits != nullptr && digits->is_string()) *text = bj::string(digits->get_string(), text->storage());
  }
  for (auto& member : *object) flatten_numbers(member.value());
}

/// An argument of a relation: the names in it, with their IRIs.
struct Argument {
  std::vector<std::string_view> names = {};
  std::vector<std::string> iris = {};
  bool is_list = false;
  bool is_broken = false;
};

/// A relation while it is not known yet what its arguments mean.
struct PendingRelation {
  ProvRelationInfo const* info;
  std::uint32_t scope;
  KeptRelation kept;
  Argument subject;
  Argument object;
  Argument further = {};
  bool is_kept_by_object = false;  ///< it says no subject: `subject` is its object
  std::size_t owner = 0;
};

class Reader {
 public:
  explicit Reader(bj::object const& root, Report& report) : root_(root), report_(report) {}

  /// Faults go to the report; then there is nothing to finish, or the result of `finish` has no meaning.
  void read();
  [[nodiscard]] ProvImport finish();

 private:
  struct RelationPlace {
    ProvRelationInfo const& info;
    std::uint32_t scope;
    std::string_view id;
    std::optional<std::int64_t> place;
    bj::object const& attributes;
    Path const& at;
  };
  enum class Step : std::uint8_t { own, thing };
  struct Ordered {
    Step step;
    std::size_t position;
  };

  void find_scopes();
  void add_bundle(std::string_view name, bj::value const& value, Path const& at);
  [[nodiscard]] bool check_name(std::string_view name, Path const& at);
  void read_section(std::uint32_t scope, std::string_view section, bj::object const& records, Path const& at);
  void declare(RecordType kind, std::uint32_t scope, std::string_view name, bj::value const& value, Path const& at);
  void mark_dormant();
  void read_relations(std::uint32_t scope, std::string_view section, bj::object const& records, Path const& at);
  void read_relation(RelationPlace const& relation);
  [[nodiscard]] Argument read_argument(RelationPlace const& relation, std::string_view name, bool may_be_list);
  void take_name(bj::value const& value, std::uint32_t scope, Path const& at, Argument& argument);
  void keep_by_object(RelationPlace const& relation, Argument object);
  void warn_of_own_subject(Argument const& subject, Path const& at);
  void resolve(PendingRelation& pending);
  [[nodiscard]] ProvTarget target_of(PendingRelation const& pending, Argument const& argument, std::size_t object,
                                     RecordType kind);
  void resolve_further(PendingRelation& pending);
  [[nodiscard]] bj::object const* find_relation(std::uint32_t scope, std::string_view section, std::string const& iri);
  [[nodiscard]] std::optional<std::uint32_t> scope_of_mention(PendingRelation const& pending) const;

  [[nodiscard]] std::string text_of(std::size_t thing, std::vector<std::string> const& ids);
  [[nodiscard]] ProvRelation relation_of(KeptRelation const& kept, std::vector<std::string> const& ids);
  void check_ids(std::vector<std::string> const& ids);
  void warn_of_empty_bundles();
  void check_sizes(ProvThing const& thing, ProvNode const& node);
  void count(ProvThing const& thing, ProvNode const& node);

  /// Calls `visit(scope, section, records, path)` for each section of the document and its bundles but `prefix` and
  /// `bundle`. Reports what is none.
  template <class Visit>
  void for_each_section(Visit const& visit);
  template <class Visit>
  void for_each_section_of(std::uint32_t scope, bj::object const& part, Path const& at, Visit const& visit);

  bj::object const& root_;
  Report& report_;
  std::deque<ProvScope> scopes_;  // the document first; a deque so that namespaces stay where they are
  std::vector<bj::object const*> parts_;
  std::map<std::string, std::uint32_t> scope_of_bundle_;
  ProvThings things_;
  OwnRecords own_;
  std::vector<Ordered> order_;  // of what is declared
  std::vector<PendingRelation> pending_;
  std::map<std::pair<std::uint32_t, std::string_view>, std::unordered_map<std::string, bj::object const*>> named_;
  std::vector<Violation> warnings_;
  ProvCounts counts_;
};

void Reader::read() {
  find_scopes();
  for_each_section([&](std::uint32_t scope, std::string_view section, bj::object const& records, Path const& at) {
    read_section(scope, section, records, at);
  });
  if (!report_.is_empty()) return;
  mark_dormant();
  for_each_section([&](std::uint32_t scope, std::string_view section, bj::object const& records, Path const& at) {
    read_relations(scope, section, records, at);
  });
  if (!report_.is_empty()) return;
  for (PendingRelation& each : pending_) {
    if (!each.info->has_any_ends) resolve(each);
  }
  for (PendingRelation& each : pending_) {
    if (each.info->has_any_ends) resolve(each);
  }
  for (PendingRelation& each : pending_) things_.all()[each.owner].relations.push_back(std::move(each.kept));
}

void Reader::find_scopes() {
  Path const root;
  auto& document = scopes_.emplace_back();
  parts_.push_back(&root_);
  if (auto const* const prefixes = root_.if_contains("prefix")) {
    document.names.read(*prefixes, Path{root, "prefix"}, report_);
  }
  auto const* const bundles = root_.if_contains("bundle");
  if (bundles == nullptr) return;
  Path const at{root, "bundle"};
  if (!bundles->is_object())
    return refuse(*bundles, "prov_bundle", at, report_, "must be an object of bundles by name");
  for (auto const& bundle : bundles->get_object()) add_bundle(bundle.key(), bundle.value(), Path{at, bundle.key()});
}

void Reader::add_bundle(std::string_view name, bj::value const& value, Path const& at) {
  auto const* const part = value.if_object();
  if (part == nullptr) return refuse(value, "prov_bundle", at, report_, "must be an object");
  if (!check_name(name, at)) return;
  auto const& document = scopes_.front().names;
  ProvScope scope{.bundle = name, .names = Namespaces{&document}};
  if (auto const* const prefixes = part->if_contains("prefix")) {
    scope.names.read(*prefixes, Path{at, "prefix"}, report_);
  }
  // The name is used in the document, but some programs declare its prefix in the bundle only.
  scope.bundle_iri = (document.used_by(name) ? document : scope.names).resolve(name);
  if (!check_name(scope.bundle_iri, at)) return;
  auto const number = static_cast<std::uint32_t>(scopes_.size());
  if (!scope_of_bundle_.try_emplace(scope.bundle_iri, number).second) {
    return report_.add(at, "prov_bundle", shown(name), "this bundle occurs here under another name");
  }
  scopes_.push_back(std::move(scope));
  parts_.push_back(part);
  ++counts_.bundles;
}

template <class Visit>
void Reader::for_each_section_of(std::uint32_t scope, bj::object const& part, Path const& at, Visit const& visit) {
  for (auto const& section : part) {
    std::string_view const name = section.key();
    Path const place{at, name};
    if (name == "prefix" || (name == "bundle" && scope == 0)) continue;
    if (name == "bundle") {
      report_.add(place, "prov_bundle", "", "a bundle holds no bundles");
    } else if (!kind_of_section(name) && find_prov_relation(name) == nullptr) {
      report_.add(place, "prov_section", shown(name), "is no section of PROV-JSON");
    } else if (auto const* const records = section.value().if_object()) {
      visit(scope, name, *records, place);
    } else {
      refuse(section.value(), "prov_section", place, report_, "must be an object of records by name");
    }
  }
}

template <class Visit>
void Reader::for_each_section(Visit const& visit) {
  Path const root;
  Path const bundles{root, "bundle"};
  for_each_section_of(0, root_, root, visit);
  for (std::uint32_t scope = 1; scope < parts_.size(); ++scope) {
    for_each_section_of(scope, *parts_[scope], Path{bundles, scopes_[scope].bundle}, visit);
  }
}

bool Reader::check_name(std::string_view name, Path const& at) {
  if (!name.empty() && name.size() <= limits::prov_name_max) return true;
  report_.add(at, "prov_name", shown(name), "a name has 1 to " + std::to_string(limits::prov_name_max) + " bytes");
  return false;
}

void Reader::read_section(std::uint32_t scope, std::string_view section, bj::object const& records, Path const& at) {
  auto const kind = kind_of_section(section);
  if (!kind) return;
  for (auto const& record : records) declare(*kind, scope, record.key(), record.value(), Path{at, record.key()});
}

bool is_list_of_objects(bj::value const& value) {
  auto const* const list = value.if_array();
  return list != nullptr && !list->empty() &&
         std::ranges::all_of(*list, [](bj::value const& each) { return each.is_object(); });
}

void Reader::declare(RecordType kind, std::uint32_t scope, std::string_view name, bj::value const& value,
                     Path const& at) {
  if (!value.is_object() && !is_list_of_objects(value)) {
    return refuse(value, "prov_record", at, report_, "must be an object, or an array of objects");
  }
  if (!check_name(name, at) || !check_prov_attributes(value, at, report_)) return;
  auto iri = scopes_[scope].names.resolve(name);
  if (iri.empty()) return report_.add(at, "prov_name", shown(name), "maps to no IRI");
  if (kind == RecordType::prov_entity && scope == 0 && value.is_object()) {
    auto const own = own_.take(iri, value.get_object(), scopes_[0].names, at, report_);
    if (own) return order_.push_back({Step::own, *own});
    if (own_.is_of_gone(iri)) {
      return warnings_.push_back({.rule = "prov_gone",
                                  .path = at.pointer(),
                                  .seen = shown(name),
                                  .message = "its content was gone: neither it nor its edges are kept"});
    }
  }
  auto const before = things_.all().size();
  auto& thing = things_.declare(kind, scope, std::move(iri), name);
  if (auto const* const list = value.if_array()) {
    thing.is_array = true;
    for (bj::value const& each : *list) thing.declarations.push_back(&each.get_object());
  } else {
    thing.declarations.push_back(&value.get_object());
  }
  if (things_.all().size() > before) order_.push_back({Step::thing, before});
}

void Reader::mark_dormant() {
  for (ProvThing& thing : things_.all()) {
    thing.is_dormant = thing.scope == 0 && own_.is_beside(thing.kind, thing.iri);
  }
}

void Reader::read_relations(std::uint32_t scope, std::string_view section, bj::object const& records, Path const& at) {
  auto const* const info = find_prov_relation(section);
  if (info == nullptr) return;
  for (auto const& record : records) {
    std::string_view const id = record.key();
    Path const place{at, id};
    if (auto const* const one = record.value().if_object()) {
      read_relation({*info, scope, id, std::nullopt, *one, place});
    } else if (is_list_of_objects(record.value())) {
      auto const& list = record.value().get_array();
      for (std::size_t i = 0; i < list.size(); ++i) {
        read_relation({*info, scope, id, static_cast<std::int64_t>(i), list[i].get_object(), Path{place, i}});
      }
    } else {
      refuse(record.value(), "prov_record", place, report_, "must be an object, or an array of objects");
    }
  }
}

void Reader::read_relation(RelationPlace const& relation) {
  if (!check_name(relation.id, relation.at) || !check_prov_record(relation.attributes, relation.at, report_)) return;
  auto subject = read_argument(relation, relation.info.subject, false);
  auto object = read_argument(relation, relation.info.object, relation.info.edge == EdgeType::prov_had_member);
  auto further = relation.info.further.empty() ? Argument{} : read_argument(relation, relation.info.further, false);
  if (subject.is_broken || object.is_broken || further.is_broken) return;
  if (subject.names.empty()) return keep_by_object(relation, std::move(object));
  std::string const none;
  auto const& object_iri = object.iris.empty() ? none : object.iris.front();
  auto const& names = scopes_[relation.scope].names;
  if (relation.scope == 0 &&
      own_.take_relation({relation.info, names, relation.attributes, subject.iris.front(), object_iri})) {
    ++counts_.implied;
    return;
  }
  warn_of_own_subject(subject, relation.at);
  if (object.names.empty() && further.names.empty()) {
    warnings_.push_back({.rule = "prov_no_object",
                         .path = relation.at.pointer(),
                         .seen = std::string{relation.info.object},
                         .message = "is missing: no edge is added"});
  }
  bool const is_list = object.is_list;
  pending_.push_back({.info = &relation.info,
                      .scope = relation.scope,
                      .kept = {.relation = relation.info.name,
                               .id = relation.id,
                               .place = relation.place,
                               .objects = {},
                               .is_list = is_list,
                               .attributes = &relation.attributes},
                      .subject = std::move(subject),
                      .object = std::move(object),
                      .further = std::move(further)});
}

/// PROV requires a subject, but such documents exist: the object keeps the relation, and no edge is added.
void Reader::keep_by_object(RelationPlace const& relation, Argument object) {
  if (object.names.empty()) {
    return report_.add(Path{relation.at, relation.info.subject}, "required", "", "a relation has its first argument");
  }
  warnings_.push_back({.rule = "prov_no_subject",
                       .path = relation.at.pointer(),
                       .seen = std::string{relation.info.subject},
                       .message = "is missing: no edge is added"});
  pending_.push_back({.info = &relation.info,
                      .scope = relation.scope,
                      .kept = {.relation = relation.info.name,
                               .id = relation.id,
                               .place = relation.place,
                               .objects = {},
                               .attributes = &relation.attributes},
                      .subject = std::move(object),
                      .object = {},
                      .is_kept_by_object = true});
}

/// A record of ours keeps no relations of others: an entity of its name represents it.
void Reader::warn_of_own_subject(Argument const& subject, Path const& at) {
  auto const* const ref = own_.find(subject.iris.front());
  if (ref == nullptr) return;
  warnings_.push_back({.rule = "prov_subject",
                       .path = at.pointer(),
                       .seen = shown(*ref),
                       .message = "is kept with an entity that represents this record"});
}

void Reader::take_name(bj::value const& value, std::uint32_t scope, Path const& at, Argument& argument) {
  auto const name = name_in(value);
  if (!name) {
    refuse(value, "prov_argument", at, report_, "must be a qualified name");
  } else if (check_name(*name, at)) {
    argument.names.push_back(*name);
    argument.iris.push_back(scopes_[scope].names.resolve(*name));
    if (!argument.iris.back().empty()) return;
    report_.add(at, "prov_name", shown(*name), "maps to no IRI");
  }
  argument.is_broken = true;
}

Argument Reader::read_argument(RelationPlace const& relation, std::string_view name, bool may_be_list) {
  Argument argument;
  auto const* const value = relation.attributes.if_contains(name);
  if (value == nullptr) return argument;
  Path const at{relation.at, name};
  auto const* const list = value->if_array();
  if (list == nullptr) {
    take_name(*value, relation.scope, at, argument);
  } else if (list->empty() || (list->size() > 1 && !may_be_list)) {
    refuse(*value, "prov_argument", at, report_, "must be one name");
    argument.is_broken = true;
  } else {
    argument.is_list = list->size() > 1;
    for (std::size_t i = 0; i < list->size(); ++i) take_name((*list)[i], relation.scope, Path{at, i}, argument);
  }
  return argument;
}

/// Of a mention: the bundle that describes the general entity, where it is in this document.
std::optional<std::uint32_t> Reader::scope_of_mention(PendingRelation const& pending) const {
  if (pending.info->edge != EdgeType::prov_mention_of) return std::nullopt;
  auto const* const value = pending.kept.attributes->if_contains("prov:bundle");
  auto const name = value != nullptr ? name_in(*value) : std::nullopt;
  if (!name) return std::nullopt;
  auto const bundle = scope_of_bundle_.find(scopes_[pending.scope].names.resolve(*name));
  if (bundle == scope_of_bundle_.end()) return std::nullopt;
  return bundle->second;
}

ProvTarget Reader::target_of(PendingRelation const& pending, Argument const& argument, std::size_t object,
                             RecordType kind) {
  auto const& iri = argument.iris[object];
  if (auto const bundle = scope_of_mention(pending)) {
    if (auto const described = things_.find_declared(*bundle, iri, kind)) return {.thing = described};
  }
  bool const is_declared_here = things_.find_declared(pending.scope, iri, kind).has_value();
  if (!is_declared_here || pending.scope == 0) {
    if (auto const* const ref = own_.find(iri)) return {.ref = *ref};
  }
  if (!is_declared_here) {
    if (auto ref = ref_of_iri(iri)) return {.ref = *std::move(ref)};
  }
  return {.thing = things_.mention(kind, pending.scope, iri, argument.names[object], pending.info->has_any_ends)};
}

void Reader::resolve(PendingRelation& pending) {
  auto const kind = pending.is_kept_by_object ? pending.info->object_type : pending.info->subject_type;
  pending.owner = things_.mention(kind, pending.scope, pending.subject.iris.front(), pending.subject.names.front(),
                                  pending.info->has_any_ends);
  for (std::size_t i = 0; i < pending.object.iris.size(); ++i) {
    pending.kept.objects.push_back(target_of(pending, pending.object, i, pending.info->object_type));
  }
  if (!pending.is_kept_by_object) resolve_further(pending);
}

/// The relation of a section that has a name; null where this document has none.
bj::object const* Reader::find_relation(std::uint32_t scope, std::string_view section, std::string const& iri) {
  auto const [known, is_new] = named_.try_emplace({scope, section});
  auto const* const records = is_new ? parts_[scope]->if_contains(section) : nullptr;
  if (records != nullptr && records->is_object()) {
    for (auto const& record : records->get_object()) {
      auto const* const list = record.value().if_array();
      auto const* const one =
          list != nullptr && !list->empty() ? list->front().if_object() : record.value().if_object();
      if (one != nullptr) known->second.emplace(scopes_[scope].names.resolve(record.key()), one);
    }
  }
  auto const found = known->second.find(iri);
  return found == known->second.end() ? nullptr : found->second;
}

/// What else influenced the subject. A derivation may name its activity by the usage or the generation alone.
void Reader::resolve_further(PendingRelation& pending) {
  auto const kind = pending.info->further_type;
  if (!pending.further.names.empty()) {
    pending.kept.further.push_back(target_of(pending, pending.further, 0, kind));
    return;
  }
  if (pending.info->edge != EdgeType::prov_was_derived_from) return;
  for (auto const& [argument, section] : derivation_parts) {
    auto const* const value = pending.kept.attributes->if_contains(argument);
    auto const name = value != nullptr ? name_in(*value) : std::nullopt;
    if (!name) continue;
    auto const* const named = find_relation(pending.scope, section, scopes_[pending.scope].names.resolve(*name));
    auto const* const said = named != nullptr ? named->if_contains("prov:activity") : nullptr;
    auto const activity = said != nullptr ? name_in(*said) : std::nullopt;
    if (!activity) continue;
    Argument meant;
    meant.names.push_back(*activity);
    meant.iris.push_back(scopes_[pending.scope].names.resolve(*activity));
    if (meant.iris.front().empty()) continue;
    pending.kept.further.push_back(target_of(pending, meant, 0, kind));
  }
}

std::string ref_of(ProvTarget const& target, std::vector<ProvThing> const& things,
                   std::vector<std::string> const& ids) {
  return target.thing ? format_ref(things[*target.thing].kind, ids[*target.thing]) : target.ref;
}

ProvRelation Reader::relation_of(KeptRelation const& kept, std::vector<std::string> const& ids) {
  ProvRelation relation{.relation = std::string{kept.relation},
                        .id = std::string{kept.id},
                        .place = kept.place,
                        .attributes = {to_sorted_text(bj::value(*kept.attributes))}};
  if (kept.is_list) {
    auto& others = relation.others.emplace();
    for (ProvTarget const& each : kept.objects) others.push_back(ref_of(each, things_.all(), ids));
  } else if (!kept.objects.empty()) {
    relation.other = ref_of(kept.objects.front(), things_.all(), ids);
  }
  for (ProvTarget const& each : kept.further) {
    auto ref = ref_of(each, things_.all(), ids);
    if (!relation.further) relation.further.emplace();
    auto& further = *relation.further;
    if (std::ranges::find(further, ref) == further.end()) further.push_back(std::move(ref));
  }
  return relation;
}

ProvAttributes attributes_of(ProvThing const& thing) {
  if (!thing.is_array) return {to_sorted_text(bj::value(*thing.declarations.front()))};
  bj::array list;
  for (bj::object const* const each : thing.declarations) list.push_back(bj::value(*each));
  return {to_sorted_text(bj::value(std::move(list)))};
}

/// The place of a record of a section. Made again where something is wrong, rather than kept for each.
std::string pointer_of(ProvScope const& scope, std::string_view section, std::string_view name) {
  std::string pointer;
  if (!scope.bundle.empty()) append_step(pointer.append("/bundle"), scope.bundle);
  append_step(pointer, section);
  append_step(pointer, name);
  return pointer;
}

std::string_view section_of(ProvThing const& thing) {
  if (thing.kind == RecordType::prov_entity) return "entity";
  return thing.kind == RecordType::prov_activity ? "activity" : "agent";
}

/// A name may look like what is made of another.
void Reader::check_ids(std::vector<std::string> const& ids) {
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i].empty()) continue;
    auto const& thing = things_.all()[i];
    if (seen.insert(format_ref(thing.kind, ids[i])).second) continue;
    report_.add(pointer_of(scopes_[thing.scope], section_of(thing), thing.qname), "prov_id", shown(ids[i]),
                "comes to the id of another");
  }
}

/// Nothing of them is kept: a bundle is known by its contents.
void Reader::warn_of_empty_bundles() {
  std::vector<bool> is_used(scopes_.size(), false);
  for (ProvThing const& thing : things_.all()) is_used[thing.scope] = true;
  for (std::size_t i = 1; i < scopes_.size(); ++i) {
    if (is_used[i]) continue;
    std::string pointer = "/bundle";
    append_step(pointer, scopes_[i].bundle);
    warnings_.push_back({.rule = "prov_bundle",
                         .path = std::move(pointer),
                         .seen = shown(scopes_[i].bundle),
                         .message = "is empty: it is not kept"});
  }
}

void Reader::check_sizes(ProvThing const& thing, ProvNode const& node) {
  auto const& scope = scopes_[thing.scope];
  auto const check = [&](ProvAttributes const& attributes, std::string_view section, std::string_view name) {
    if (attributes.json.size() <= limits::prov_attributes_bytes_max) return;
    report_.add(pointer_of(scope, section, name), "size", attributes.json,
                "must be at most " + std::to_string(limits::prov_attributes_bytes_max) + " bytes as compact JSON");
  };
  if (node.attributes) check(*node.attributes, section_of(thing), thing.qname);
  if (!node.relations) return;
  for (ProvRelation const& each : *node.relations) check(each.attributes, each.relation, each.id.value());
}

void Reader::count(ProvThing const& thing, ProvNode const& node) {
  counts_.relations += node.relations ? node.relations->size() : 0;
  counts_.mentioned += thing.declarations.empty() ? 1 : 0;
  ++(thing.kind == RecordType::prov_entity     ? counts_.entities
     : thing.kind == RecordType::prov_activity ? counts_.activities
                                               : counts_.agents);
}

std::string Reader::text_of(std::size_t position, std::vector<std::string> const& ids) {
  auto const& thing = things_.all()[position];
  auto const& scope = scopes_[thing.scope];
  ProvNode node{.id = ids[position], .qname = std::string{thing.qname}};
  PrefixGatherer prefixes{scope.names};
  prefixes.add(thing.qname);
  if (thing.declarations.empty()) {
    node.is_declared = false;
  } else {
    node.attributes = attributes_of(thing);
    for (bj::object const* const each : thing.declarations) prefixes.add_all(*each);
  }
  if (thing.scope != 0) {
    node.bundle = std::string{scope.bundle};
    node.bundle_iri = scope.bundle_iri;
  }
  for (KeptRelation const& kept : thing.relations) {
    if (!kept.id.starts_with("_:")) prefixes.add(kept.id);
    prefixes.add_all(*kept.attributes);
    if (!node.relations) node.relations.emplace();
    node.relations->push_back(relation_of(kept, ids));
  }
  if (node.relations) drop_repeated(*node.relations);
  node.prefixes = prefixes.take();
  check_sizes(thing, node);
  if (node.prefixes && node.prefixes->entries.size() > limits::prov_prefixes_max) {
    report_.add(pointer_of(scope, section_of(thing), thing.qname), "prov_prefix", "",
                "uses more than " + std::to_string(limits::prov_prefixes_max) + " prefixes");
  }
  count(thing, node);
  return to_text(prov_record(thing.kind, std::move(node)));
}

ProvImport Reader::finish() {
  auto const ids = things_.ids(scopes_);
  check_ids(ids);
  warn_of_empty_bundles();
  ProvImport result;
  std::size_t declared = 0;
  auto const add_thing = [&](std::size_t thing) {
    auto const& id = ids[thing];
    if (id.starts_with(erasure_prefix) || id.starts_with(proposal_prefix)) {
      auto const& of = things_.all()[thing];
      warnings_.push_back({.rule = "server_field",
                           .path = pointer_of(scopes_[of.scope], section_of(of), of.qname),
                           .seen = shown(id),
                           .message = "is what the server of another store wrote: it is not kept"});
    } else if (!id.empty()) {
      result.records.push_back(text_of(thing, ids));
    }
  };
  for (auto& [ref, text] : own_.stand_ins()) {
    result.deleted.push_back(std::move(ref));
    result.records.push_back(std::move(text));
  }
  for (auto& warning : own_.part_acts()) warnings_.push_back(std::move(warning));
  for (auto& warning : own_.drop_ratings_of_gone()) warnings_.push_back(std::move(warning));
  for (auto& whole : own_.wholes_of_gone()) result.records.push_back(std::move(whole));
  // Of the responses of a request the last is one act with its answer.
  std::vector<std::size_t> of_acts;
  std::vector<std::size_t> loaded;
  for (Ordered const& each : order_) {
    if (each.step == Step::own && own_.is_dropped(each.position)) continue;
    if (each.step == Step::own && own_.is_of_act(each.position)) {
      of_acts.push_back(each.position);
    } else if (each.step == Step::own && own_.is_loaded(each.position)) {
      loaded.push_back(each.position);
    } else if (each.step == Step::own) {
      result.records.push_back(own_.text(each.position));
    } else {
      add_thing(each.position);
      ++declared;
    }
  }
  for (auto const position : of_acts) result.records.push_back(own_.text(position));
  for (auto& retrieval : own_.retrievals()) result.records.push_back(std::move(retrieval));
  for (std::size_t thing = declared; thing < things_.all().size(); ++thing) add_thing(thing);
  for (auto const position : loaded) result.records.push_back(own_.text(position));
  result.loaded = loaded.size();
  result.standings = own_.standings();
  counts_.own = own_.size();
  result.warnings = std::move(warnings_);
  result.counts = counts_;
  return result;
}

Error broken(std::string broken_rule, std::string message) {
  return error_from(
      Violation{.code = Errc::invalid_record, .rule = std::move(broken_rule), .message = std::move(message)});
}

}  // namespace

Result<ProvImport> read_prov_json(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  bj::monotonic_resource storage;
  auto document = parse_with_integers(text, limits::json_depth_max, &storage);
  if (!document) return broken("invalid_json", document.error().message);
  flatten_numbers(document->value);
  auto const* const root = document->value.if_object();
  if (root == nullptr) return broken("prov_section", "a PROV-JSON document is an object");
  std::vector<Violation> violations;
  Report report{violations};
  for (std::string const& pointer : document->duplicates) {
    report.add(pointer, "duplicate_member", "", "a member may occur once in an object");
  }
  for (std::string const& pointer : document->inexact) {
    report.add(pointer, std::string{inexact_rule}, "", std::string{inexact_message});
  }
  Reader reader{*root, report};
  if (report.is_empty()) reader.read();
  if (!report.is_empty()) return error_from(std::move(violations));
  auto result = reader.finish();
  if (!report.is_empty()) return error_from(std::move(violations));
  if (result.records.size() > limits::prov_records_max) {
    return Error{.code = Errc::limit_exceeded,
                 .message = "the document comes to " + std::to_string(result.records.size()) + " records, more than " +
                            std::to_string(limits::prov_records_max)};
  }
  return result;
}

}  // namespace whence::schema::json
