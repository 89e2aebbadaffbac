// Each function that reads marks what it used; `rest()` has all others, and what was left of values that were read in
// part. Of several attributes of one meaning the first in the table counts, and those with an equal value are used with
// it.

#include "net/capture/spans/attributes.hpp"

#include "net/capture/messages/joined.hpp"
#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/media.hpp"
#include "net/capture/messages/messages.hpp"
#include "net/capture/messages/one_message.hpp"
#include "net/capture/messages/unread_members.hpp"
#include "schema/base/digest.hpp"
#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace whence::net::capture {

namespace json = boost::json;

namespace {

constexpr std::size_t kept_bytes_max = 256;
constexpr int nested_max = 16;  // dots of a name that make lists and objects

/// What is between a family's number and the members of a message.
constexpr std::array<std::string_view, 3> message_prefixes = {"message.", "prompt.", "completion."};

/// A text, or what a JSON text of one holds.
std::string plain_text_of(json::value const& value) {
  if (!value.is_string()) return text_of(value);
  auto const parsed = schema::json::parse_foreign(std::string_view{value.get_string()});
  return parsed && parsed->value.is_string() ? std::string(parsed->value.get_string()) : text_of(value);
}

/// A vector, or its JSON text; empty where it is none, or has more numbers than a vector may have.
std::vector<float> numbers_of(json::value const* held) {
  if (held == nullptr) return {};
  auto const list = structured(*held);
  if (!list.is_array() || list.get_array().size() > schema::limits::embedding_dimension_max) return {};
  std::vector<float> numbers;
  numbers.reserve(list.get_array().size());
  for (auto const& each : list.get_array()) {
    auto const number = each.is_number() ? number_of(&each) : std::nullopt;
    if (!number || std::abs(*number) > std::numeric_limits<float>::max()) return {};
    numbers.push_back(static_cast<float>(*number));
  }
  bool const has_direction = std::ranges::any_of(numbers, [](float each) { return each != 0; });
  return has_direction ? numbers : std::vector<float>{};
}

json::object without_prefix(json::object const& from, std::string_view prefix) {
  json::object result;
  for (auto const& pair : from) {
    std::string_view name{pair.key().data(), pair.key().size()};
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    result.insert_or_assign(name, pair.value());
  }
  return result;
}

json::value as_lists(json::value value) {
  auto* const object = value.if_object();
  if (object == nullptr) return value;
  std::map<std::uint64_t, json::value> numbered;
  for (auto& member : *object) {
    member.value() = as_lists(std::move(member.value()));
    std::string_view const name{member.key().data(), member.key().size()};
    std::uint64_t number = 0;
    auto const parsed = std::from_chars(name.data(), name.data() + name.size(), number);
    if (parsed.ec == std::errc{} && parsed.ptr == name.data() + name.size()) numbered.emplace(number, member.value());
  }
  if (object->empty() || numbered.size() != object->size()) return value;
  json::array list;
  for (auto& [number, each] : numbered) {
    auto const* const inner = each.if_object();
    bool const is_wrapped = inner != nullptr && inner->size() == 1 && inner->begin()->value().is_object() &&
                            (inner->contains("message_content") || inner->contains("tool_call"));
    auto const* const call = inner == nullptr || inner->size() != 2 ? nullptr : object_at(*inner, "tool_call");
    auto const* const content = call == nullptr ? nullptr : object_at(*inner, "message_content");
    bool const is_call = content != nullptr && content->size() == 1 && string_at(*content, {"type"}) == "tool_use";
    auto const& held = is_wrapped ? inner->begin()->value() : each;
    list.push_back(is_call ? json::value(*call) : held);
  }
  return list;
}

/// `contents.0.message_content.text`, `tool_calls.10.name` as lists and objects: numbered members in the order of
/// their numbers. OpenInference's names of the things in a list are left out.
json::value nested(json::object const& flat) {
  json::object tree;
  for (auto const& pair : flat) {
    json::object* at = &tree;
    std::string_view rest{pair.key().data(), pair.key().size()};
    int depth = 0;
    for (auto dot = rest.find('.'); dot != std::string_view::npos && depth < nested_max; dot = rest.find('.')) {
      ++depth;
      auto& inner = (*at)[rest.substr(0, dot)];
      if (!inner.is_object()) inner = json::object{};
      at = &inner.get_object();
      rest.remove_prefix(dot + 1);
    }
    if (!at->contains(rest)) (*at)[rest] = pair.value();
  }
  return as_lists(json::value(std::move(tree)));
}

/// Whether a chunk keeps a member of a document whole.
bool is_kept_of_document(std::string_view name, json::value const& value) {
  if (name == "score") return number_of(&value).has_value();
  return is_one_of(name, {"id", "content", "text"});
}

/// Documents as a list: that of an object which has nothing else, or the object alone.
json::value listed(json::value value) {
  auto* const object = value.if_object();
  if (object == nullptr) return value;
  auto const is_empty = [](auto const& member) {
    return member.value().is_null() || (member.value().is_array() && member.value().get_array().empty());
  };
  auto const held = std::ranges::find_if_not(*object, is_empty);
  bool const is_list = held != object->end() && held->value().is_array() &&
                       std::ranges::count_if(*object, is_empty) + 1 == static_cast<std::ptrdiff_t>(object->size());
  return is_list ? json::value(held->value()) : json::value(json::array{value});
}

}  // namespace

std::optional<double> number_of(json::value const* held) {
  if (held == nullptr) return std::nullopt;
  double value = std::nan("");
  if (held->is_double()) value = held->get_double();
  if (held->is_int64()) value = static_cast<double>(held->get_int64());
  if (held->is_uint64()) value = static_cast<double>(held->get_uint64());
  if (auto const* const text = held->if_string()) {
    auto const end = text->data() + text->size();
    if (std::from_chars(text->data(), end, value).ptr != end) return std::nullopt;
  }
  return std::isfinite(value) ? std::optional{value} : std::nullopt;
}

std::optional<std::int64_t> counted(json::value const* held) {
  auto const number = number_of(held);
  bool const is_count = number && *number >= 0 && *number <= 9007199254740991.0 && std::floor(*number) == *number;
  return is_count ? std::optional{static_cast<std::int64_t>(*number)} : std::nullopt;
}

AttributeMap smallest_of(AttributeMap const& all, std::size_t room) {
  std::vector<std::pair<std::size_t, json::string_view>> sizes;
  for (auto const& pair : all)
    sizes.emplace_back(pair.key().size() + schema::json::to_text(pair.value()).size(), pair.key());
  std::ranges::sort(sizes);
  AttributeMap kept;
  for (auto const& [bytes, name] : sizes) {
    if (bytes > room) break;
    room -= bytes;
    kept.emplace(name, all.at(name));
  }
  return kept;
}

bool says_something(Evaluation const& rating) {
  return rating.score || !rating.label.empty() || !rating.text.empty() || !rating.rest.empty();
}

json::value const* Attributes::find(std::string_view name) {
  auto const* const held = all_.if_contains(name);
  if (held != nullptr) used_.insert(std::string(name));
  return held;
}

json::value const* Attributes::first(Meaning meaning) {
  return first(meaning, [](json::value const&) { return true; });
}

json::value const* Attributes::first(Meaning meaning, bool (*fits)(json::value const&)) {
  json::value const* found = nullptr;
  for (auto const& row : mapping_rows()) {
    if (row.meaning != meaning || row.is_family) continue;
    auto const* const held = all_.if_contains(row.name);
    bool const says = held != nullptr && !held->is_null() && !(held->is_string() && held->get_string().empty()) &&
                      !is_placeholder(row, *held) && fits(*held);
    if (!says) continue;
    if (found == nullptr) found = held;
    if (*found == *held) used_.insert(std::string(row.name));
  }
  return found;
}

void Attributes::keep_part(Meaning meaning, json::value part) {
  if (part.is_null()) return;
  for (auto const& row : mapping_rows()) {
    std::string const name(row.name);
    if (row.meaning == meaning && used_.contains(name)) return (void)left_.insert_or_assign(name, std::move(part));
  }
}

json::object Attributes::held(Meaning meaning) const {
  for (auto const& row : mapping_rows()) {
    auto const* const given = row.meaning == meaning ? all_.if_contains(row.name) : nullptr;
    auto value = given == nullptr ? json::value{} : structured(*given);
    if (value.is_object()) return std::move(value.get_object());
  }
  return {};
}

std::string Attributes::first_name(bool (*fits)(std::string_view)) const {
  for (auto const& pair : all_) {
    if (fits({pair.key().data(), pair.key().size()})) return std::string(pair.key());
  }
  return {};
}

std::string Attributes::kept_text(Meaning meaning) const {
  for (auto const& row : mapping_rows()) {
    if (row.meaning != meaning) continue;
    auto const* const held = all_.if_contains(row.name);
    bool const is_number = held != nullptr && (held->is_int64() || held->is_uint64());
    if (held == nullptr || !(held->is_string() || is_number)) continue;
    auto const text = text_of(*held);
    if (schema::trim_white_space(text).empty()) continue;
    return text.size() <= kept_bytes_max ? text : "sha256-" + schema::to_hex(schema::sha256(text));
  }
  return {};
}

std::string Attributes::text(Meaning meaning) {
  auto const* const held = first(meaning);
  return held == nullptr ? std::string{} : text_of(*held);
}

std::vector<Message> Attributes::messages(Meaning meaning, std::string_view role) {
  for (auto const& row : mapping_rows()) {
    if (row.meaning != meaning) continue;
    std::vector<Message> found;
    if (row.is_family) {
      for (auto const& [number, members] : family(row.name)) {
        auto flat = members;
        for (auto const prefix : message_prefixes) flat = without_prefix(flat, prefix);
        auto const value = nested(flat);
        bool const is_nameless = role == "user" && (!value.is_object() || !value.get_object().contains("role"));
        auto message = message_of(value, is_nameless ? std::string_view{} : role);
        keep_left(row.name, number, members, value);
        if (!says_nothing(message)) found.push_back(std::move(message));
      }
      settle_roles(found, 0, role);
    } else if (auto const* const held = all_.if_contains(row.name); held != nullptr && !is_placeholder(row, *held)) {
      found = read_messages(row, *held, role);
    }
    if (!found.empty()) return found;
  }
  return {};
}

std::vector<Message> Attributes::messages_of_first(Meaning meaning, std::string_view role) {
  auto const before = used_;
  auto const* const held = first(meaning);
  std::vector<Message> found;
  for (auto const& row : mapping_rows()) {
    if (held == nullptr || row.meaning != meaning || all_.if_contains(row.name) != held) continue;
    found = read_messages(row, *held, role);
    break;
  }
  if (found.empty()) used_ = before;  // what it says beside no message is nowhere else
  return found;
}

std::vector<json::object> Attributes::documents() {
  std::vector<json::object> found;
  for (auto const& row : mapping_rows()) {
    if (row.meaning != Meaning::documents || !found.empty()) continue;
    if (row.is_family) {
      for (auto& [number, members] : family(row.name)) {
        for (auto const& pair : members) {
          std::string_view name{pair.key().data(), pair.key().size()};
          if (name.starts_with("document.")) name.remove_prefix(std::string_view("document.").size());
          if (!is_kept_of_document(name, pair.value())) unuse(row.name, number, pair.key());
        }
        found.push_back(without_prefix(members, "document."));
      }
    } else if (auto const* const held = all_.if_contains(row.name)) {
      auto value = listed(structured(*held));
      if (!value.is_array()) continue;
      used_.insert(std::string(row.name));
      for (auto const& each : value.get_array()) {
        if (each.is_object()) found.push_back(without_prefix(each.get_object(), "document."));
        if (each.is_string()) found.push_back(json::object{{"content", each}});
      }
      keep_left(row.name, found);
    }
  }
  return found;
}

std::vector<EmbeddedText> Attributes::embeddings() {
  std::vector<EmbeddedText> found;
  for (auto const& row : mapping_rows()) {
    if (row.meaning != Meaning::embeddings || !found.empty()) continue;
    if (row.is_family) {
      for (auto const& [number, members] : family(row.name)) {
        auto const flat = without_prefix(members, "embedding.");
        auto const* const text = flat.if_contains("text");
        found.push_back({text == nullptr ? std::string{} : text_of(*text), numbers_of(flat.if_contains("vector"))});
      }
    } else if (auto const* const held = find(row.name); held != nullptr && held->is_array()) {
      auto const* const texts = first(Meaning::embedded);
      for (auto const& each : held->get_array()) {
        auto const* const text =
            texts != nullptr && texts->is_array() ? texts->get_array().if_contains(found.size()) : nullptr;
        found.push_back({text == nullptr ? std::string{} : plain_text_of(*text), numbers_of(&each)});
      }
    }
  }
  return found;
}

std::vector<Evaluation> Attributes::ratings(SpanName const& of, Nanos time) {
  std::vector<Evaluation> found;
  for (auto const& row : mapping_rows()) {
    if (row.meaning != Meaning::evaluations || !row.is_family) continue;
    for (auto const& [number, members] : family(row.name)) {
      auto const flat = without_prefix(without_prefix(members, "evaluation."), "annotation.");
      Evaluation each{.of = of, .time = time};
      each.score = number_of(flat.if_contains("score"));
      for (auto const& [name, to] :
           {std::pair{"name", &each.name}, {"label", &each.label}, {"explanation", &each.text}}) {
        if (auto const* const held = flat.if_contains(name)) *to = text_of(*held);
      }
      for (auto const& pair : flat) {
        bool const is_kept = says_something(each) && is_one_of(pair.key(), {"name", "score", "label", "explanation"});
        if (!is_kept || (pair.key() == "score" && !each.score)) unuse(row.name, number, pair.key());
      }
      if (says_something(each)) found.push_back(std::move(each));
    }
  }
  return found;
}

AttributeMap Attributes::rest() const {
  AttributeMap left;
  for (auto const& pair : all_) {
    std::string const name(pair.key());
    auto const part = left_.find(name);
    if (!used_.contains(name)) {
      auto& kept = left.emplace(name, pair.value()).first->value();
      (void)name_bytes(kept);
    }
    if (used_.contains(name) && part != left_.end()) left.emplace(name, part->second);
  }
  return left;
}

std::vector<Message> Attributes::read_messages(MappingRow const& row, json::value const& value, std::string_view role) {
  auto const name = row.name;
  bool const is_text = value.is_string() && (is_plain_text(row) || says_plain_text(row.name));
  Reading const how{role, holds_messages_alone(row) ? Given::messages : Given::anything};
  auto const held = is_text ? value : read_value(value, how);
  if (may_hold_texts(row) && are_texts(held)) {
    std::vector<Message> texts;
    for (auto const& each : held.get_array()) texts.push_back({.role = std::string(role), .text = text_of(each)});
    used_.insert(std::string(name));
    return texts;
  }
  bool const is_any = !is_text && (holds_any_value(row) || all_.contains(langsmith_kind));
  auto bare = is_any ? bare_message(held, role) : std::nullopt;
  auto found = bare ? std::vector{std::move(*bare)} : messages_of(value, held, how);
  if (found.empty()) return found;
  used_.insert(std::string(name));
  auto const* const object = held.if_object();
  bool const is_bare = is_any && object != nullptr && object->size() == 1 && found.size() == 1;
  bool const is_one_text = value.is_string() && found.size() == 1 &&
                           (found.front().text == text_of(value) ||
                            (is_bare && object->begin()->value() == json::value(found.front().text)));
  auto left = is_one_text ? json::value{} : left_of(held, how);
  if (!left.is_null()) left_.insert_or_assign(std::string(name), std::move(left));
  return found;
}

bool Attributes::says_plain_text(std::string_view name) const {
  constexpr std::string_view end = ".value";
  if (!name.ends_with(end)) return false;
  auto const* const type = all_.if_contains(std::string(name.substr(0, name.size() - end.size())) + ".mime_type");
  return type != nullptr && type->is_string() && std::string_view(type->get_string()).starts_with("text/plain");
}

void Attributes::keep_left(std::string_view family, std::uint64_t number, json::object const& members,
                           json::value const& value) {
  auto const left = left_of(value);
  if (!left.is_object()) return;
  for (auto const& pair : members) {
    std::string_view const tail{pair.key().data(), pair.key().size()};
    auto name = tail;
    for (auto const prefix : message_prefixes) {
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    }
    if (left.get_object().contains(name.substr(0, name.find('.')))) unuse(family, number, tail);
  }
}

void Attributes::keep_left(std::string_view name, std::vector<json::object> const& documents) {
  json::object left;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    json::object more;
    for (auto const& pair : documents[i]) {
      if (!is_kept_of_document(pair.key(), pair.value())) more.emplace(pair.key(), pair.value());
    }
    if (!more.empty()) left.emplace(std::to_string(i), std::move(more));
  }
  if (!left.empty()) left_.insert_or_assign(std::string(name), json::value(std::move(left)));
}

void Attributes::unuse(std::string_view family, std::uint64_t number, std::string_view tail) {
  auto const beginning = std::string(family) + "." + std::to_string(number) + ".";
  used_.erase(beginning + std::string(tail));
  for (auto const* const prefix : {"evaluation.", "annotation."}) used_.erase(beginning + prefix + std::string(tail));
}

Family Attributes::family(std::string_view name) {
  Family members;
  auto const prefix = std::string(name) + ".";
  for (auto const& pair : all_) {
    std::string_view const key{pair.key().data(), pair.key().size()};
    if (!key.starts_with(prefix)) continue;
    auto const tail = key.substr(prefix.size());
    std::uint64_t number = 0;
    auto const parsed = std::from_chars(tail.data(), tail.data() + tail.size(), number);
    auto const after = static_cast<std::size_t>(parsed.ptr - tail.data());
    if (parsed.ec != std::errc{} || after >= tail.size() || tail[after] != '.') continue;
    used_.insert(std::string(key));
    members[number].insert_or_assign(tail.substr(after + 1), pair.value());
  }
  return members;
}

}  // namespace whence::net::capture
