// Recognising our own export. The names of its parts are those of the table in the protocol of exports: `gen:` an
// activity per response, `agent:` and `user:` agents, `whence:` what PROV has no word for.
#include "schema/prov/own_export.hpp"

#include "schema/json/json.hpp"
#include "schema/json/prov_values.hpp"
#include "schema/types/ref.hpp"
#include "schema/wire/codec.hpp"
#include "schema/wire/decode.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <span>
#include <utility>

namespace whence::schema::json {
namespace {

namespace bj = boost::json;

constexpr std::string_view own_names = "urn:whence:ns#";
constexpr std::string_view generations = "urn:whence:generation:";
constexpr std::string_view agents = "urn:whence:agent:";
constexpr std::string_view users = "urn:whence:user:";

/// Members of answers only: the server refuses or makes them.
constexpr std::array<std::string_view, 7> server_members = {
    "status", "aggregate_score", "feedback_count", "dangling", "increment", "expired", "purged"};

/// The attribute that is `whence:LOCAL`, whatever prefix the document gives our names.
bj::value const* find_own(bj::object const& attributes, std::string_view local, Namespaces const& names) {
  for (auto const& attribute : attributes) {
    std::string_view const name = attribute.key();
    if (!name.ends_with(local)) continue;
    if (names.resolve(name) == std::string{own_names}.append(local)) return &attribute.value();
  }
  return nullptr;
}

std::optional<std::string_view> text_in(bj::value const* value) {
  if (value == nullptr) return std::nullopt;
  if (auto const* const text = value->if_string()) return std::string_view{*text};
  auto const* const literal = value->if_object();
  auto const* const text = literal != nullptr ? literal->if_contains("$") : nullptr;
  if (text == nullptr || !text->is_string()) return std::nullopt;
  return std::string_view{text->get_string()};
}

/// The record type that a value of `prov:type` names.
std::optional<RecordType> own_type(bj::value const& value, Namespaces const& names) {
  auto const* const literal = value.if_object();
  auto const* const type = literal != nullptr ? literal->if_contains("type") : nullptr;
  if (type == nullptr || !type->is_string() || !is_qname_type(type->get_string())) return std::nullopt;
  auto const name = text_in(&value);
  if (!name) return std::nullopt;
  auto const iri = names.resolve(*name);
  if (!iri.starts_with(own_names)) return std::nullopt;
  auto const found = find_record_type(std::string_view{iri}.substr(own_names.size()));
  if (!found || !info(*found).is_node || is_prov(*found)) return std::nullopt;
  return found;
}

std::optional<RecordType> own_type(bj::object const& attributes, Namespaces const& names) {
  auto const* const value = attributes.if_contains("prov:type");
  if (value == nullptr) return std::nullopt;
  auto const* const list = value->if_array();
  if (list == nullptr) return own_type(*value, names);
  for (bj::value const& each : *list) {
    if (auto const type = own_type(each, names)) return type;
  }
  return std::nullopt;
}

/// A number as PROV-JSON says it: itself, or as text with a type.
bj::value number_in(bj::value const* value) {
  if (value == nullptr || value->is_number()) return value == nullptr ? bj::value{} : *value;
  auto const text = text_in(value);
  double number = 0;
  if (!text) return {};
  auto const end = text->data() + text->size();
  auto const read = std::from_chars(text->data(), end, number);
  return read.ec == std::errc{} && read.ptr == end ? bj::value(number) : bj::value{};
}

std::string id_in(std::string const& ref) {
  return ref.substr(ref.find(':') + 1);
}

/// The texts of a list as JSON text; none where it is something else.
std::vector<std::string> refs_in(std::optional<std::string_view> text) {
  auto const document = text ? parse(*text) : Result<Document>(Error{});
  auto const* const list = document ? document->value.if_array() : nullptr;
  std::vector<std::string> refs;
  if (list == nullptr) return refs;
  for (bj::value const& each : *list) {
    if (!each.is_string()) return {};
    refs.emplace_back(each.get_string());
  }
  return refs;
}

/// In place of deleted units: the one that a unit names, and those of the line before that. Each names the next one.
std::vector<std::pair<std::string, std::string>> unit_stand_ins(std::int64_t version, std::string const& needed,
                                                                std::span<std::string const> line) {
  std::vector<std::pair<std::string, std::string>> all;
  std::size_t const count = std::max<std::size_t>(line.size(), 1);  // the last of a line is there
  for (std::size_t i = 0; i < count; ++i) {
    auto const& ref = i == 0 ? needed : line[i - 1];
    version = version > 1 ? version - 1 : 1;
    bj::object record{{type_member, name_of(RecordType::context_unit)}};
    record["id"] = id_in(ref);
    record["type"] = "System";
    record["source"] = "?";
    record["version"] = version;
    if (i < line.size()) record["previous_version_id"] = id_in(line[i]);
    all.emplace_back(ref, to_text(bj::value(std::move(record))));
  }
  return all;
}

}  // namespace

std::optional<std::size_t> OwnRecords::take(std::string const& iri, bj::object const& attributes,
                                            Namespaces const& names, Path const& at, Report& report) {
  auto const type = own_type(attributes, names);
  auto const* const carried = type ? find_own(attributes, "record", names) : nullptr;
  if (carried == nullptr) {
    if (type && find_own(attributes, "expired", names) != nullptr) gone_.insert(iri);
    return std::nullopt;
  }
  auto const refuse_it = [&](std::string message) {
    refuse(*carried, "whence_record", Path{at, "whence:record"}, report, std::move(message));
    return std::optional<std::size_t>{};
  };
  auto const text = text_in(carried);
  if (!text) return refuse_it("must be the record as JSON text");
  auto document = parse(*text);
  if (!document) return refuse_it(document.error().message);
  if (!document->duplicates.empty()) return refuse_it("names a member twice: " + document->duplicates.front());
  if (!document->inexact.empty()) return refuse_it(document->inexact.front() + " " + std::string{inexact_message});
  auto* const record = document->value.if_object();
  auto const* const said = record != nullptr ? record->if_contains(type_member) : nullptr;
  bool const fits = said != nullptr && said->is_string() && std::string_view{said->get_string()} == name_of(*type);
  if (!fits) return refuse_it("must be a record of the type that the entity has");
  for (std::string_view const member : server_members) record->erase(member);
  if (auto const* const xml = find_own(attributes, "xml", names); xml != nullptr && xml->is_string()) {
    record->erase("xmlBlob");  // the text that the record only names
    (*record)["xml"] = *xml;
  }
  auto needed = std::string{text_in(find_own(attributes, "deleted", names)).value_or("")};
  auto line = refs_in(text_in(find_own(attributes, "deleted_before", names)));
  auto ref = ref_of_iri(iri);
  if (!ref) ref = format_ref(*type, node_id_of(decode_record(document->value).record));
  auto const [known, is_new] = by_iri_.try_emplace(iri, records_.size());
  if (!is_new) return refuse_it("this entity occurs here twice");
  if (info(*type).has_status) note_standing(*ref, attributes, names, at);
  bool const has_path = *type == RecordType::response || *type == RecordType::feedback_record;
  records_.push_back({.type = *type,
                      .ref = *std::move(ref),
                      .record = std::move(*record),
                      .needed = std::move(needed),
                      .line = std::move(line),
                      .path = has_path ? at.pointer() : std::string{}});
  return known->second;
}

void OwnRecords::note_standing(std::string const& ref, bj::object const& attributes, Namespaces const& names,
                               Path const& at) {
  auto const score = number_in(find_own(attributes, "score", names));
  standings_.push_back({.ref = ref,
                        .path = at.pointer(),
                        .status = std::string{text_in(find_own(attributes, "status", names)).value_or("")},
                        .score = score.is_number() ? std::optional{score.to_number<double>()} : std::nullopt});
}

std::string const* OwnRecords::find(std::string const& iri) const {
  auto const found = by_iri_.find(iri);
  return found == by_iri_.end() ? nullptr : &records_[found->second].ref;
}

OwnRecords::Own* OwnRecords::own(std::string const& iri) {
  auto const found = by_iri_.find(iri);
  return found == by_iri_.end() ? nullptr : &records_[found->second];
}

/// The response that an activity of ours generated.
OwnRecords::Own* OwnRecords::response_of(std::string const& activity_iri) {
  if (!activity_iri.starts_with(generations)) return nullptr;
  return own("urn:whence:Response:" + activity_iri.substr(generations.size()));
}

bool OwnRecords::is_of_gone(std::string const& iri) const {
  if (gone_.contains(iri)) return true;
  return iri.starts_with(generations) && gone_.contains("urn:whence:Response:" + iri.substr(generations.size()));
}

bool OwnRecords::is_beside(RecordType kind, std::string const& iri) const {
  if (is_of_gone(iri)) return true;
  if (records_.empty()) return false;
  if (kind == RecordType::prov_agent) return iri.starts_with(agents) || iri.starts_with(users);
  if (kind != RecordType::prov_activity || !iri.starts_with(generations)) return false;
  return by_iri_.contains("urn:whence:Response:" + iri.substr(generations.size()));
}

bool OwnRecords::take_relation(Seen const& seen) {
  if (is_of_gone(seen.subject) || is_of_gone(seen.object)) return true;
  bool const is_of_record = own(seen.subject) != nullptr;
  bool const is_of_generation = response_of(seen.subject) != nullptr;
  auto const edge = text_in(find_own(seen.attributes, "edge", seen.names));
  // An act has what was made from one of its halves, a thing of others, too.
  if (edge == name_of(EdgeType::through_act) && own(seen.object) != nullptr) return true;
  if (!is_of_record && !is_of_generation) return false;
  if (edge) {
    note(*edge, seen);
    return true;
  }
  switch (seen.relation.edge) {
    case EdgeType::prov_was_generated_by:
      return is_of_record && seen.object.starts_with(generations);
    case EdgeType::prov_was_attributed_to:
      return is_of_record && seen.object.starts_with(users);
    case EdgeType::prov_was_associated_with:
      return is_of_generation && seen.object.starts_with(agents);
    case EdgeType::prov_had_member:  // has no attributes that could say whose it is
      return is_of_record && own(seen.object) != nullptr;
    default:
      return false;
  }
}

/// Most edges are in a record; these are not.
void OwnRecords::note(std::string_view edge, Seen const& seen) {
  if (edge == name_of(EdgeType::rendered_as)) {
    auto* const attachment = own(seen.subject);
    auto const* const response = own(seen.object);
    if (attachment != nullptr && response != nullptr && !attachment->record.contains("responseId")) {
      attachment->record["responseId"] = id_in(response->ref);
    }
  } else if (edge == name_of(EdgeType::prompted)) {
    auto* const attachment = own(seen.object);
    auto const* const response = response_of(seen.subject);
    bool const is_said = response == nullptr || response->record.contains("query_attachment");
    if (is_said || attachment == nullptr || attachment->type != RecordType::xml_message_attachment) return;
    if (!attachment->record.contains("responseId")) attachment->record["responseId"] = id_in(response->ref);
  } else if (edge == name_of(EdgeType::loaded_from)) {
    if (auto* const document = own(seen.subject); document != nullptr) document->is_loaded = true;
  } else if (edge == name_of(EdgeType::same_act)) {
    if (auto* const response = own(seen.subject); response != nullptr) response->is_of_act = true;
  } else if (edge == name_of(EdgeType::retrieved_for)) {
    auto const chunk = by_iri_.find(seen.object);
    auto const* const query = own(seen.subject);
    if (chunk == by_iri_.end() || query == nullptr) return;
    retrievals_.push_back({chunk->second, id_in(query->ref),
                           number_in(find_own(seen.attributes, "similarity", seen.names)),
                           number_in(find_own(seen.attributes, "rank", seen.names))});
  }
}

std::vector<Violation> OwnRecords::part_acts() {
  auto const request_of = [](Own const& own) {
    auto const text = own.type == RecordType::response ? text_in(own.record.if_contains("request_id")) : std::nullopt;
    return std::string{text.value_or("")};
  };
  std::set<std::string> alone;  // requests whose Answer is one act with nothing
  for (Own const& own : records_) {
    if (own.type == RecordType::answer) alone.insert(id_in(own.ref));
  }
  for (Own const& own : records_) {
    if (own.is_of_act) alone.erase(request_of(own));
  }
  std::vector<Violation> warnings;
  for (Own& own : records_) {
    auto const request = request_of(own);
    if (!alone.contains(request)) continue;
    own.record.erase("request_id");
    warnings.push_back({.rule = "prov_act",
                        .path = own.path,
                        .seen = shown(request),
                        .message = "was no act with the answer of its request, and with its request_id would become "
                                   "one: it is left out"});
  }
  return warnings;
}

std::unordered_set<std::string> OwnRecords::gone_refs() const {
  std::unordered_set<std::string> refs;
  for (auto const& iri : gone_) {
    if (auto ref = ref_of_iri(iri)) refs.insert(*std::move(ref));
  }
  return refs;
}

std::vector<Violation> OwnRecords::drop_ratings_of_gone() {
  std::vector<Violation> warnings;
  auto const gone = gone_refs();
  if (gone.empty()) return warnings;
  for (Own& own : records_) {
    if (own.type != RecordType::feedback_record) continue;
    auto const response = text_in(own.record.if_contains("response_id"));
    auto const ref = text_in(own.record.if_contains("ref"));
    auto const rated = response ? format_ref(RecordType::response, *response) : std::string{ref.value_or("")};
    if (!gone.contains(rated)) continue;
    own.is_dropped = true;
    warnings.push_back({.rule = "prov_gone",
                        .path = own.path,
                        .seen = shown(own.ref),
                        .message = "rates what has no content any more: it is not kept"});
  }
  return warnings;
}

std::vector<std::string> OwnRecords::wholes_of_gone() const {
  std::vector<std::string> texts;
  auto gone = gone_refs();
  for (Own const& own : records_) {
    bool const is_attachment = own.type == RecordType::xml_message_attachment;
    if (!is_attachment && own.type != RecordType::discussion_round && own.type != RecordType::summary_entry) continue;
    bj::object whole{{type_member, name_of(is_attachment ? RecordType::message : RecordType::discussion)}};
    auto const copy = [&](std::string_view to, std::string_view from) {
      if (auto const* const value = own.record.if_contains(from)) whole[to] = *value;
    };
    if (is_attachment) {
      copy("id", "messageId");
      copy("topicId", "topicId");
    } else {
      copy("userId", "userId");
      copy("discussionId", "discussionId");
      copy("createdAt", own.record.contains("timestamp") ? "timestamp" : "createdAt");
      copy("updatedAt", own.record.contains("timestamp") ? "timestamp" : "createdAt");
    }
    bj::value const record(std::move(whole));
    auto const decoded = decode_record(record);
    auto const type = is_attachment ? RecordType::message : RecordType::discussion;
    if (gone.erase(format_ref(type, node_id_of(decoded.record))) > 0) texts.push_back(to_text(record));
  }
  return texts;
}

bool OwnRecords::is_dropped(std::size_t position) const {
  return records_[position].is_dropped;
}

bool OwnRecords::is_loaded(std::size_t position) const {
  return records_[position].is_loaded;
}

bool OwnRecords::is_of_act(std::size_t position) const {
  return records_[position].is_of_act;
}

std::string OwnRecords::text(std::size_t position) const {
  return to_text(bj::value(records_[position].record));
}

std::vector<std::pair<std::string, std::string>> OwnRecords::stand_ins() const {
  std::set<std::string> known;
  for (Own const& own : records_) known.insert(own.ref);
  std::vector<std::pair<std::string, std::string>> all;
  for (Own const& own : records_) {
    auto const ref = own.needed.empty() ? Result<NodeRef>(Error{}) : parse_ref(own.needed);
    if (!ref || !known.insert(own.needed).second) continue;
    if (ref->type == RecordType::context_unit) {
      auto const* const version = own.record.if_contains("version");
      bool const has_number = version != nullptr && version->is_int64();
      bool const has_line = !own.line.empty() && known.contains(own.line.back());
      auto const made = unit_stand_ins(has_number ? version->get_int64() : 1, own.needed,
                                       has_line ? std::span(own.line) : std::span<std::string const>{});
      all.insert(all.end(), made.begin(), made.end());
      continue;
    }
    bj::object record{{type_member, name_of(ref->type)}};
    if (ref->type == RecordType::topic) {
      record["id"] = ref->id;
    } else if (ref->type == RecordType::query) {
      record["request_id"] = ref->id;
      record["question"] = "???";
    } else {
      continue;
    }
    all.emplace_back(own.needed, to_text(bj::value(std::move(record))));
  }
  return all;
}

std::vector<std::string> OwnRecords::retrievals() const {
  std::vector<std::string> texts;
  for (Retrieval const& each : retrievals_) {
    bj::object record = records_[each.chunk].record;
    record.erase("embedding");
    record["request_id"] = each.request_id;
    if (!each.similarity.is_null()) record["similarity_score"] = each.similarity;
    if (!each.rank.is_null()) record["rank"] = each.rank;
    texts.push_back(to_text(bj::value(std::move(record))));
  }
  return texts;
}

}  // namespace whence::schema::json
