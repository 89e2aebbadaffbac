// Records are compared member by member: a line shows them with what follows from the rest.

#include "tools/cli/proofs/line.hpp"

#include "net/plain_text/cell.hpp"
#include "schema/base/digest.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "schema/records/discussion/discussion.hpp"
#include "schema/records/records.hpp"
#include "schema/stored/sealed.hpp"
#include "schema/types/ref.hpp"
#include "schema/wire/codec.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <variant>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;
using net::plain_text::cell;

constexpr std::string_view digest_end = "_sha256";

bool is_among_names(std::string_view name, std::span<std::string_view const> names) {
  return std::ranges::find(names, name) != names.end();
}

/// Of a leaf, what a line has in another form; of a line, what a leaf has not.
constexpr std::array<std::string_view, 4> leaf_alone = {"commitment", "edges", "nonce", "purges"};
constexpr std::array<std::string_view, 7> line_alone = {"record", "edges", "xml",       "expired",
                                                        "purged", "time",  "edge_order"};
/// The marks of a content that is gone, and what is said in its place: only an event has them that wrote one.
constexpr std::size_t marks = 4;
/// What edges of a line say of a record.
constexpr std::array<std::string_view, 4> edge_alone = {"attributes", "excerpt", "page_number", "section"};

/// What a line may have that its leaf has not.
std::span<std::string_view const> alone_in(json::object const& line) {
  auto const op = cell(line, "op");
  bool const writes = op == "put" || op == "version";
  return std::span{line_alone}.first(line_alone.size() - (writes ? 0 : marks));
}

/// Whether `line` has what `leaf` has, and nothing else but what is in one of them alone.
bool is_equal_but(json::object const& leaf, json::object const& line, std::span<std::string_view const> of_leaf,
                  std::span<std::string_view const> of_line) {
  for (auto const& member : leaf) {
    if (is_among_names(member.key(), of_leaf)) continue;
    auto const* const said = line.if_contains(member.key());
    if (said == nullptr || *said != member.value()) return false;
  }
  return std::ranges::all_of(line, [&](auto const& member) {
    bool const may_be_its = leaf.contains(member.key()) && !is_among_names(member.key(), of_leaf);
    return may_be_its || is_among_names(member.key(), of_line);
  });
}

/// Whether a value names a node: by its ref, or by its id.
bool is_name_of(json::value const& value, std::string_view ref) {  // NOLINT(misc-no-recursion)
  if (value.is_array()) {
    return std::ranges::any_of(value.get_array(), [&](auto const& each) { return is_name_of(each, ref); });
  }
  if (!value.is_string()) return false;
  std::string_view const name = value.get_string();
  return name == ref || name == ref.substr(ref.find(':') + 1);
}

/// Whether one object of a record says all that an edge says of it, and names one of the edge's ends.
bool is_in_one_object(json::value const& whole, json::object const& shown) {  // NOLINT(misc-no-recursion)
  if (whole.is_array()) {
    return std::ranges::any_of(whole.get_array(), [&](auto const& each) { return is_in_one_object(each, shown); });
  }
  if (!whole.is_object()) return false;
  auto const& object = whole.get_object();
  bool const has_all = std::ranges::all_of(edge_alone, [&](std::string_view name) {
    auto const* const said = shown.if_contains(name);
    auto const* const found = object.if_contains(name);
    return said == nullptr || (found != nullptr && *found == *said);
  });
  auto const is_end = [&](std::string_view end) {
    auto const ref = cell(shown, end);
    return std::ranges::any_of(object, [&](auto const& member) { return is_name_of(member.value(), ref); });
  };
  if (has_all && (is_end("from") || is_end("to"))) return true;
  return std::ranges::any_of(object, [&](auto const& member) { return is_in_one_object(member.value(), shown); });
}

/// Whether an edge is the one that was recorded, and what it says of a record is in what was recorded of that.
bool is_its_edge(json::object const& recorded, json::object const& shown, std::span<json::object const> contents) {
  if (!is_equal_but(recorded, shown, {}, edge_alone)) return false;
  bool const says_nothing = std::ranges::none_of(edge_alone, [&](auto name) { return shown.contains(name); });
  return says_nothing || std::ranges::any_of(contents, [&](json::object const& content) {
           return std::ranges::any_of(content,
                                      [&](auto const& member) { return is_in_one_object(member.value(), shown); });
         });
}

bool are_its_edges(ProvenEvent const& leaf, json::object const& line) {
  auto const& recorded = schema::json::list_at(leaf.line, "edges");
  auto const& shown = schema::json::list_at(line, "edges");
  return std::equal(recorded.begin(), recorded.end(), shown.begin(), shown.end(), [&](auto const& a, auto const& b) {
    return a.is_object() && b.is_object() && is_its_edge(a.get_object(), b.get_object(), leaf.contents);
  });
}

/// A long text is kept apart: the record that was committed to has its digest.
bool is_its_long_text(json::object const& committed, std::string_view name, json::value const& said) {
  auto const digest = cell(committed, std::string(name).append(digest_end));
  return said.is_string() && !digest.empty() &&
         schema::to_hex(schema::sha256(std::string_view{said.get_string()})) == digest;
}

/// Whether the text that a record names by its digest is shown in its place.
bool has_long_text(json::object const& committed, json::object const& shown, std::string_view name) {
  if (!name.ends_with(digest_end)) return false;
  auto const text_name = name.substr(0, name.size() - digest_end.size());
  auto const* const text = shown.if_contains(text_name);
  return text != nullptr && is_its_long_text(committed, text_name, *text);
}

/// Whether a long text beside the record is the one that the record names by its digest.
bool is_its_xml(json::object const& line, json::object const& record) {
  auto const* const xml = line.if_contains("xml");
  if (xml == nullptr) return true;
  return xml->is_string() &&
         cell(record, "xmlBlob") == "sha256://" + schema::to_hex(schema::sha256(std::string_view{xml->get_string()}));
}

/// What follows from other records, and may stand in a record of a type whatever it says.
struct Following {
  schema::RecordType type;
  std::string_view member;
};

constexpr std::array<Following, 9> following = {
    {{schema::RecordType::response, "context_units"},  // compared with edges
     {schema::RecordType::response, "dangling"},
     {schema::RecordType::keyword, "dangling"},
     {schema::RecordType::subject, "dangling"},
     {schema::RecordType::summary, "dangling"},
     {schema::RecordType::summary, "expired"},
     {schema::RecordType::summary, "purged"},
     {schema::RecordType::xml_message_attachment, "responseId"},
     {schema::RecordType::system_prompt_template, "active"}}};

/// Whether an id has as many parts as members are made of it.
bool has_all_parts(schema::NodeRef const& ref, std::span<std::string_view const> names) {
  auto const members = names.size() - static_cast<std::size_t>(std::ranges::count(names, "context_units"));
  return members < 2 || ref.type == schema::RecordType::summary || schema::split_key(ref.id).size() == members;
}

/// What a record that is shown may have beside what was recorded, with its value; null: any. The members of its id are
/// what the ref says; who speaks in a round is what its place says. The explorer's case/shown.js has the same.
json::object beside_of(std::string_view text) {
  json::object beside;
  auto const ref = schema::parse_ref(text);
  if (!ref) return beside;
  auto const& names = schema::stored::members_in_row(ref->type);
  auto record = schema::blank_record(ref->type);
  if (record && has_all_parts(*ref, names)) {
    schema::set_node_id(*record, ref->id);
    auto const blank = schema::json::parse(schema::json::to_text(*record));
    for (auto const name : names) {
      auto const* const value = blank ? blank->value.get_object().if_contains(name) : nullptr;
      if (value != nullptr) beside[name] = *value;
    }
    if (auto const* const round = std::get_if<schema::DiscussionRound>(&*record)) {
      for (auto const& each : schema::speakers()) {
        beside[each.member] =
            json::object{{"persona", each.name}, {"turn", schema::turn_of(round->round_number, each.persona)}};
      }
    }
  }
  for (auto const& each : following) {
    if (each.type == ref->type) beside[each.member] = nullptr;
  }
  return beside;
}

bool may_stand_beside(std::string_view name, json::value const& value, json::object const& beside) {
  auto const* const found = beside.if_contains(name);
  return found != nullptr && (found->is_null() || *found == value);
}

/// Whether `shown` says all that `said` says, and nothing else but what may stand beside it.
bool says_the_same(json::value const& said, json::value const& shown,
                   json::object const& beside) {  // NOLINT(misc-no-recursion)
  if (said.is_array() && shown.is_array()) {
    auto const& whole = shown.get_array();
    return said.get_array().size() == whole.size() &&
           std::equal(whole.begin(), whole.end(), said.get_array().begin(),
                      [&](json::value const& a, json::value const& b) { return says_the_same(b, a, {}); });
  }
  if (!said.is_object() || !shown.is_object()) return said == shown;
  auto const& committed = said.get_object();
  for (auto const& member : committed) {
    auto const* const found = shown.get_object().if_contains(member.key());
    if (found == nullptr && has_long_text(committed, shown.get_object(), member.key())) continue;
    if (found == nullptr || !says_the_same(member.value(), *found, schema::json::object_at(beside, member.key())))
      return false;
  }
  return std::ranges::all_of(shown.get_object(), [&](auto const& member) {
    std::string_view const name = member.key();
    return committed.contains(name) || may_stand_beside(name, member.value(), beside) ||
           is_its_long_text(committed, name, member.value());
  });
}

/// Whether all that was committed to is in what is shown, which may have more: what it was added to.
bool says_at_least(json::object const& said, json::object const& shown, json::object const& beside) {
  return std::ranges::all_of(said, [&](auto const& member) {
    auto const* const found = shown.if_contains(member.key());
    if (found == nullptr) return has_long_text(said, shown, member.key());
    if (!member.value().is_array() || !found->is_array()) {
      return says_the_same(member.value(), *found, schema::json::object_at(beside, member.key()));
    }
    auto const& whole = found->get_array();
    return std::ranges::all_of(member.value().get_array(), [&](json::value const& each) {
      return std::ranges::any_of(whole, [&](json::value const& one) { return says_the_same(each, one, {}); });
    });
  });
}

/// Whether one of the contents says this of a member; of a list, whether each of its entries is in one of them.
bool is_said(std::span<json::object const> contents, std::string_view name, json::value const& value,
             json::object const& beside) {
  auto const is_in = [&](json::object const& content) {
    if (is_its_long_text(content, name, value)) return true;
    auto const* const found = content.if_contains(name);
    return found != nullptr && says_the_same(*found, value, schema::json::object_at(beside, name));
  };
  if (std::ranges::any_of(contents, is_in)) return true;
  auto const is_in_a_list = [&](json::value const& entry) {
    return std::ranges::any_of(contents, [&](json::object const& content) {
      return std::ranges::any_of(schema::json::list_at(content, name),
                                 [&](json::value const& each) { return says_the_same(each, entry, {}); });
    });
  };
  return value.is_array() && std::ranges::all_of(value.get_array(), is_in_a_list);
}

/// Whether each member that is shown is in one of the contents.
bool says_only(std::span<json::object const> contents, json::object const& shown, json::object const& beside) {
  return std::ranges::all_of(shown, [&](auto const& member) {
    return may_stand_beside(member.key(), member.value(), beside) ||
           is_said(contents, member.key(), member.value(), beside);
  });
}

/// Whether what is shown has the members that are made of its ref.
bool has_its_id(json::object const& shown, std::string_view text) {
  auto const beside = beside_of(text);
  auto const ref = schema::parse_ref(text);
  return !ref || std::ranges::all_of(schema::stored::members_in_row(ref->type), [&](std::string_view name) {
    auto const* const value = beside.if_contains(name);
    return value == nullptr || value->is_null() || shown.contains(name);
  });
}

/// Without what is made of more than was committed to: the text of a summary is that of all its versions, and what an
/// attachment answers is an edge of the line.
json::object comparable(json::object record) {
  if (cell(record, "$type$") == "Summary") record.erase("content");
  record.erase("responseId");
  return record;
}

/// Whether a unit of a response names the source of an edge, and says nothing else but what the edge says.
bool is_unit_of(json::object const& unit, json::object const& use) {
  auto const ref = cell(unit, "ref");
  if (cell(use, "from") != (ref.empty() ? "ContextUnit:" + cell(unit, "context_unit_id") : ref)) return false;
  return std::ranges::all_of(unit, [&](auto const& member) {
    std::string_view const name = member.key();
    auto const* const said = use.if_contains(name);
    return name == (ref.empty() ? "context_unit_id" : "ref") || (said != nullptr && *said == member.value());
  });
}

}  // namespace

/// An update was committed to alone, and is shown with what it was added to. What that was is compared where it is
/// here.
bool LineCheck::is_its_record(ProvenEvent const& leaf, json::object const& shown) {
  auto const ref = cell(leaf.line, "ref");
  bool const is_first = cell(leaf.line, "op") == "put";
  auto& known = known_[ref];
  if (is_first) known = {.contents = {}, .has_first = true};
  for (auto const& content : leaf.contents) known.contents.push_back(comparable(content));
  auto const& last = known.contents.back();
  auto const record = comparable(shown);
  auto const beside = beside_of(ref);
  if (!has_its_id(shown, ref)) return false;
  if (leaf.contents.size() == 1 && says_the_same(last, record, beside)) return true;
  if (is_first && leaf.contents.size() == 1) return false;
  return says_at_least(last, record, beside) && (!known.has_first || says_only(known.contents, record, beside));
}

/// The units of a response are edges: each is one of this line, or one of a line before, and there are no others. What
/// was before the period is taken as it is shown.
bool LineCheck::are_its_units(json::object const& line, json::object const& record) {
  auto& known = known_[cell(line, "ref")];
  auto const& units = schema::json::list_at(record, "context_units");
  auto before = known.units;
  known.units = units;
  if (!known.has_first) return true;
  std::vector<json::object> uses;
  for (auto const& edge : schema::json::list_at(line, "edges")) {
    bool const is_use = edge.is_object() && cell(edge.get_object(), "type") == "USED_IN" &&
                        cell(edge.get_object(), "to") == cell(line, "ref");
    if (is_use) uses.push_back(edge.get_object());
  }
  auto const is_one = [&](json::value const& unit) {
    if (auto const found = std::ranges::find(before, unit); found != before.end()) {
      before.erase(found);
      return true;
    }
    auto const found = std::ranges::find_if(
        uses, [&](json::object const& use) { return unit.is_object() && is_unit_of(unit.get_object(), use); });
    if (found == uses.end()) return false;
    uses.erase(found);
    return true;
  };
  return std::ranges::all_of(units, is_one) && before.empty() && uses.empty();
}

/// What is added to a node that is gone is kept, and not shown. That it went may have been before the period. A record
/// that says all again is shown, and one that begins a life.
bool LineCheck::may_be_gone(ProvenEvent const& leaf, json::object const& line) const {
  bool const is_marked = line.contains("expired") || line.contains("purged");
  if (!is_marked || cell(line, "op") == "put") return false;
  auto const ref = cell(line, "ref");
  bool const is_growing = ref.starts_with("Keyword:") || ref.starts_with("Subject:");
  bool const is_added = is_growing || std::ranges::all_of(leaf.contents, [](json::object const& content) {
                          return content.size() <= 1;  // its type alone
                        });
  auto const known = known_.find(ref);
  return is_added && (gone_.contains(ref) || known == known_.end() || !known->second.has_first);
}

/// What went is of the life that is there, or of one that is over, to which nothing is added.
void LineCheck::note_end(json::object const& line) {
  auto const op = cell(line, "op");
  if (op == "put") gone_.erase(cell(line, "ref"));
  if (op == "expire" && !line.contains("put")) gone_.insert(cell(line, "ref"));
}

std::optional<std::string_view> LineCheck::find_difference(ProvenEvent const& leaf, json::object const& line) {
  if (!is_equal_but(leaf.line, line, leaf_alone, alone_in(line))) return "is not the event that was recorded";
  note_end(line);
  auto const* const shown = line.if_contains("record");
  if (shown == nullptr) {
    bool const has_mark = line.contains("expired");
    if (!has_mark && (line.contains("time") || line.contains("edge_order")))
      return "has a time, and is not marked as gone";
    if (line.contains("xml")) return "has a text, and no record that names it";
    if (!leaf.contents.empty() && !may_be_gone(leaf, line)) return "has no record, and the bundle has it";
    if (are_its_edges(leaf, line)) return std::nullopt;
    return "has other edges than were recorded";
  }
  if (leaf.contents.empty() || !leaf.is_open || !shown->is_object()) return "has a record that no bundle has";
  bool const is_marked = std::ranges::any_of(std::span{line_alone}.last(marks),
                                             [&](std::string_view name) { return line.contains(name); });
  if (is_marked) return "is marked as gone, and has its record";
  auto const& record = shown->get_object();
  if (!is_its_record(leaf, record) || !is_its_xml(line, record)) return "its record is not the one that was recorded";
  if (!are_its_edges(leaf, line) || !are_its_units(line, record)) return "has other edges than were recorded";
  ++records_;
  return std::nullopt;
}

}  // namespace whence::tools
