// A document is named by its address, path or id before any title, since titles and file names are those of many. Of a
// tool's result an object is a passage only with a text and where that is from.

#include "net/capture/spans/passages.hpp"

#include "net/capture/messages/json_text.hpp"
#include "net/capture/messages/media.hpp"
#include "net/capture/messages/one_message.hpp"
#include "net/capture/spans/attributes.hpp"
#include "net/capture/spans/mapping.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::net::capture {

namespace json = boost::json;

namespace {

/// The text of the first of the members that says something.
std::string first_text(json::object const& from, std::initializer_list<std::string_view> names) {
  for (auto const name : names) {
    auto const* const held = from.if_contains(name);
    if (held == nullptr || held->is_null()) continue;
    auto text = text_of(*held);
    if (!text.empty()) return text;
  }
  return {};
}

/// The text of a passage: as it is, or of the parts that it is.
std::string content_in(json::object const& from) {
  for (auto const* const name :
       {"content", "text", "page_content", "pageContent", "document", "snippet", "memory", "chunk"}) {
    auto const* const held = from.if_contains(name);
    if (held == nullptr || held->is_null()) continue;
    auto const* const object = held->if_object();
    auto text = std::string(object == nullptr ? std::string_view{} : string_at(*object, {"text"}));
    if (text.empty())
      text = held->is_string() ? json_text(*held) : message_of(json::value(json::object{{"content", *held}}), {}).text;
    if (!text.empty()) return text;
  }
  return {};
}

/// Adds the members of an object, or of the JSON of one, that are not there.
void add_members(json::value const* held, json::object& to) {
  auto const value = held == nullptr ? json::value{} : structured(*held);
  if (!value.is_object()) return;
  for (auto const& pair : value.get_object()) to.emplace(pair.key(), pair.value());
}

/// The address in the `location` of a passage (Bedrock): of a bucket, a page, a space.
std::string location_of(json::object const& document) {
  auto const* const location = object_at(document, "location");
  if (location == nullptr) return {};
  for (auto const& each : *location) {
    auto const* const within = each.value().if_object();
    auto const address = within == nullptr ? std::string_view{} : string_at(*within, {"uri", "url"});
    if (!address.empty()) return std::string(address);
  }
  return {};
}

/// Whether an object of a tool's result is a passage: a text, and where it is from.
bool is_passage(json::object const& object) {
  auto const has = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) {
      auto const* const held = object.if_contains(name);
      return held != nullptr && ((held->is_string() && !held->get_string().empty()) || held->is_number());
    });
  };
  auto const* const content = object.if_contains("content");  // Bedrock's knowledge bases: an object with a text
  bool const is_within = content != nullptr && content->is_object() && content->get_object().contains("text");
  if (!is_within && !has({"content", "text", "page_content", "pageContent", "snippet"})) return false;
  if (has({"source", "url", "uri", "link", "file_path", "path", "id", "file_id", "filename", "file_name", "title"}) ||
      !location_of(object).empty())
    return true;
  auto const* const metadata = object.if_contains("metadata");
  auto const* const held = metadata == nullptr ? nullptr : metadata->if_object();
  return held != nullptr && std::ranges::any_of(*held, [](auto const& member) {
           return is_one_of(member.key(), {"source", "url", "link", "file_path", "filePath", "id", "title"});
         });
}

/// A document of a list: an object, also one of LangChain's constructors, in a `node` (LlamaIndex) or in a pair with
/// its score (LangChain), or a text. Empty: it is none.
json::object document_in(json::value const& value) {
  if (value.is_string()) return json::object{{"content", value}};
  auto const* const pair = value.if_array();
  bool const is_scored = pair != nullptr && pair->size() == 2 && (*pair)[0].is_object() && (*pair)[1].is_number();
  auto const* const object = is_scored ? (*pair)[0].if_object() : value.if_object();
  if (object == nullptr) return {};
  auto const* inner = object->contains("lc") ? object_at(*object, "kwargs") : object_at(*object, "node");
  json::object document = inner == nullptr ? *object : *inner;
  auto const* const score = is_scored ? &(*pair)[1] : first_of(*object, {"score"});
  if (score != nullptr) document.emplace("score", *score);
  return document;
}

/// The list of documents that a retrieval's output is, or has.
json::array const* documents_in(json::value const& found) {
  auto const* const object = found.if_object();
  auto const* const within =
      object == nullptr ? nullptr : first_of(*object, {"documents", "results", "chunks", "nodes", "output", "outputs"});
  return (within == nullptr ? found : *within).if_array();
}

}  // namespace

Passage passage_of(json::object const& document) {
  json::object metadata;
  if (auto const* const held = document.if_contains("metadata")) {
    auto const value = structured(*held);
    if (value.is_object()) metadata = value.get_object();
  }
  for (auto const& pair : document) {  // metadata.source of instrumentations that flatten it
    std::string_view const name{pair.key().data(), pair.key().size()};
    if (name.starts_with("metadata.")) metadata.insert_or_assign(name.substr(9), pair.value());
  }
  // Of vector stores: their own columns, which may have the metadata of what was stored (LangChain's in Qdrant).
  for (auto const* const name : {"entity", "payload", "properties"}) {
    add_members(document.if_contains(name), metadata);
    auto const prefix = std::string(name) + ".";
    for (auto const& pair : document) {
      std::string_view const member{pair.key().data(), pair.key().size()};
      if (member.starts_with(prefix)) metadata.emplace(member.substr(prefix.size()), pair.value());
    }
  }
  auto const stored = metadata.contains("metadata") ? metadata.at("metadata") : json::value{};
  add_members(&stored, metadata);
  Passage passage{.id = first_text(document, {"id"}),
                  .document = first_text(document, {"source", "url", "uri", "link", "file_path", "filePath", "path"}),
                  .content = content_in(document),
                  .score = number_of(document.if_contains("score"))};
  if (passage.content.empty()) passage.content = content_in(metadata);
  if (!passage.score) passage.score = number_of(metadata.if_contains("score"));
  if (passage.document.empty()) passage.document = location_of(document);
  auto const page = counted(metadata.if_contains("page"));
  passage.page = page ? page : counted(metadata.if_contains("page_number"));
  // Titles and file names are names of many: an address, a path or an id is one document's alone.
  if (passage.document.empty()) {
    passage.document = first_text(metadata, {"source", "url", "uri", "link", "file_path", "filePath", "path",
                                             "document_name", "document_id", "doc_id", "ref_doc_id"});
  }
  if (passage.document.empty()) passage.document = passage.id;
  if (passage.document.empty()) passage.document = first_text(document, {"file_id", "document_id", "doc_id"});
  if (passage.document.empty()) passage.document = first_text(metadata, {"id", "file_id", "file_name", "title"});
  if (passage.document.empty()) passage.document = first_text(document, {"file_name", "filename"});
  return passage;
}

AttributeMap read_passage_events(Span const& span, CapturedSpan& out) {
  std::map<std::string_view, std::size_t> counts;
  AttributeMap rests;
  for (auto const& event : span.events) {
    if (!is_passage_event(event.name)) continue;
    json::object members;
    auto const prefix = event.name + ".";
    for (auto const& pair : event.attributes) {
      std::string_view name{pair.key().data(), pair.key().size()};
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
      members.insert_or_assign(name, pair.value());
    }
    out.passages.push_back(passage_of(members));
    auto const number = std::to_string(counts[event.name]++);
    json::object rest;
    for (auto const& pair : members) {
      bool const is_kept = is_one_of(pair.key(), {"id", "document", "content", "text"}) ||
                           (pair.key() == "score" && number_of(&pair.value()));
      if (!is_kept) rest.emplace(pair.key(), pair.value());
    }
    if (rest.empty()) continue;
    auto& of_event = rests[event.name];
    if (!of_event.is_object()) of_event = json::object{};
    of_event.get_object().emplace(number, std::move(rest));
  }
  return rests;
}

AttributeMap read_memory_events(Span const& span, CapturedSpan& out) {
  bool const has_passages = !out.passages.empty();
  std::size_t count = 0;  // of documents in events before
  AttributeMap rests;
  for (auto const& event : span.events) {
    auto const* const content = event.attributes.if_contains("content");
    if (content == nullptr) continue;
    if (event.name == memory_query_event && out.question.empty()) out.question = text_of(*content);
    if (event.name != memory_results_event) continue;
    auto const found = structured(*content);
    if (!has_passages) read_found(found, out);
    auto const* const list = documents_in(found);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      json::object rest;
      for (auto const& pair : document_in((*list)[i])) {
        if (!is_one_of(pair.key(), {"id", "content", "text"})) rest.emplace(pair.key(), pair.value());
      }
      if (rest.empty()) continue;
      auto& of_event = rests[event.name];
      if (!of_event.is_object()) of_event = json::object{};
      of_event.get_object().emplace(std::to_string(count + i), std::move(rest));
    }
    if (list != nullptr) count += list->size();
  }
  return rests;
}

void read_found(json::value const& found, CapturedSpan& out) {
  std::vector<Passage> passages;
  bool has_lists = false;  // the documents may be in these, beside a text of them all
  auto const* const list = documents_in(found);
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    auto const document = document_in((*list)[i]);
    has_lists = has_lists || ((*list)[i].is_array() && document.empty());
    passages.push_back(passage_of(document));
  }
  auto const has_text = [](Passage const& each) { return !each.content.empty(); };
  if (has_lists || std::ranges::none_of(passages, has_text)) return read_passages(found, out);
  for (std::size_t i = 0; i < passages.size(); ++i) {
    if (has_text(passages[i])) {
      out.passages.push_back(std::move(passages[i]));
    } else {
      read_passages((*list)[i], out, 1);  // it may have some within
    }
  }
}

void read_passages(json::value const& value, CapturedSpan& out, int depth) {
  constexpr int levels_max = 3;
  if (out.passages.size() >= passages_max) return;
  if (auto const* const object = value.if_object()) {
    if (is_passage(*object)) {
      auto passage = passage_of(*object);
      if (passage.document.empty()) passage.document = first_text(*object, {"title"});
      out.passages.push_back(std::move(passage));
      return;
    }
    if (depth == levels_max) return;
    for (auto const& member : *object) read_passages(member.value(), out, depth + 1);
    return;
  }
  auto const* const list = value.if_array();
  if (list == nullptr || depth == levels_max) return;
  for (auto const& each : *list) read_passages(each, out, depth + 1);
}

}  // namespace whence::net::capture
