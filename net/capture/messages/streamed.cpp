// Two kinds of streams: chunks have the form of a whole answer, each with a part of its texts (OpenAI, Gemini, Ollama,
// LangChain); events have a type and a piece (Anthropic, OpenAI's Responses, AI SDK, Bedrock).

#include "net/capture/messages/streamed.hpp"

#include "net/capture/messages/json_text.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace whence::net::capture {

namespace {

namespace json = boost::json;

/// Members whose texts are pieces; of others the first stays.
bool is_in_pieces(std::string_view name) {
  return is_one_of(name, {"content", "text", "reasoning_content", "reasoning", "thinking", "refusal", "arguments",
                          "args", "transcript"});
}

void merge(json::object& to, json::object const& more);

/// How many choices, parts or calls of an answer come in pieces: further ones are new with each piece, so that the work
/// grows with what was sent.
constexpr std::size_t numbered_max = 128;

/// The item of a list that another one continues, an object; null: it is a new one.
json::value* continued_by(json::array& list, json::object const& item, bool is_of_choices) {
  auto const* const index = item.if_contains("index");
  if (index != nullptr && !index->is_number()) return nullptr;
  for (std::size_t i = 0; index != nullptr && i < std::min(list.size(), numbered_max); ++i) {
    auto const* const known = list[i].is_object() ? list[i].get_object().if_contains("index") : nullptr;
    if (known != nullptr && *known == *index) return &list[i];
  }
  if (index != nullptr || list.empty() || !list.back().is_object()) return nullptr;
  if (is_of_choices) return list.front().is_object() ? &list.front() : nullptr;
  auto const same = [&](auto const& member) {  // texts of one kind
    auto const* const other = list.back().get_object().if_contains(member.key());
    return member.key() == "text" ? other != nullptr && other->is_string()
                                  : other != nullptr && *other == member.value();
  };
  bool const is_text = item.contains("text") && item.size() == list.back().get_object().size();
  return is_text && std::ranges::all_of(item, same) ? &list.back() : nullptr;
}

void merge_lists(json::array& to, json::array const& more, bool is_of_choices) {
  for (auto const& each : more) {
    auto* const known = each.is_object() ? continued_by(to, each.get_object(), is_of_choices) : nullptr;
    if (known == nullptr) {
      to.push_back(each);
    } else {
      merge(known->get_object(), each.get_object());
    }
  }
}

void merge(json::object& to, json::object const& more) {
  for (auto const& member : more) {
    auto& known = to[member.key()];
    auto const& held = member.value();
    if (known.is_null()) {
      known = held;
    } else if (known.is_object() && held.is_object()) {
      merge(known.get_object(), held.get_object());
    } else if (known.is_array() && held.is_array() && member.key() != "id") {
      merge_lists(known.get_array(), held.get_array(), is_one_of(member.key(), {"choices", "candidates"}));
    } else if (known.is_string() && held.is_string() && is_in_pieces(member.key())) {
      known.get_string().append(held.get_string());
    } else if (known.is_number() || known.is_bool()) {
      known = held.is_null() ? known : held;
    }
  }
}

/// Whether a list that is a member has items, all of which have one of the members.
bool all_have(json::object const& object, std::string_view list, std::initializer_list<std::string_view> names) {
  auto const* const held = object.if_contains(list);
  return held != nullptr && held->is_array() && std::ranges::all_of(held->get_array(), [&](json::value const& each) {
           return each.is_object() && first_of(each.get_object(), names) != nullptr;
         });
}

bool is_chunk(json::object const& object) {
  if (all_have(object, "choices", {"delta"})) return true;
  if (string_at(object, {"object"}) == "text_completion" && all_have(object, "choices", {"text"})) return true;
  if (all_have(object, "candidates", {"content", "finishReason"})) return true;
  if (object.contains("done") && object_at(object, "message") != nullptr) return true;
  if (string_at(object, {"type"}).ends_with("MessageChunk")) return object.contains("content");
  auto const* const id = object.contains("lc") ? object.if_contains("id") : nullptr;
  bool const is_named = id != nullptr && id->is_array() && !id->get_array().empty();
  return is_named && id->get_array().back().is_string() &&
         id->get_array().back().get_string().ends_with("MessageChunk");
}

json::value whole_of_chunks(json::array const& chunks) {
  json::object whole;
  for (auto const& each : chunks) merge(whole, each.get_object());
  auto* const choices = whole.if_contains("choices");
  if (choices == nullptr || !choices->is_array()) return whole;
  for (auto& each : choices->get_array()) {
    if (!each.is_object() || !each.get_object().contains("delta")) continue;
    auto delta = std::move(each.get_object().at("delta"));
    each.get_object().erase("delta");
    each.get_object()["message"] = std::move(delta);
  }
  return whole;
}

/// What an event adds: a text, reasoning, or arguments of the call before it.
struct Piece {
  std::string_view type;
  std::string_view text;
};

std::optional<Piece> piece_of(json::object const& event) {
  auto const type = string_at(event, {"type"});
  auto const* const block = object_at(event, "contentBlockDelta");  // Bedrock
  auto const* const delta = object_at(block == nullptr ? event : *block, "delta");
  if (delta != nullptr) {
    if (delta->contains("text")) return Piece{"text", string_at(*delta, {"text"})};
    if (delta->contains("thinking")) return Piece{"reasoning", string_at(*delta, {"thinking"})};
    if (delta->contains("partial_json")) return Piece{"input", string_at(*delta, {"partial_json"})};
    if (auto const* const call = object_at(*delta, "toolUse")) return Piece{"input", string_at(*call, {"input"})};
    auto const* const thought = object_at(*delta, "reasoningContent");
    if (thought != nullptr && thought->contains("text")) return Piece{"reasoning", string_at(*thought, {"text"})};
    return std::nullopt;
  }
  auto const text = string_at(event, {"delta", "textDelta", "text"});
  if (is_one_of(type, {"text-delta", "response.output_text.delta"})) return Piece{"text", text};
  if (is_one_of(type, {"reasoning-delta", "response.reasoning_text.delta", "response.reasoning_summary_text.delta"}) ||
      (type == "reasoning" && event.contains("textDelta")))
    return Piece{"reasoning", text};
  return std::nullopt;
}

/// Whether an event says when something begins or ends, or what is beside a text, and nothing of it.
bool is_mark(json::object const& event) {
  auto const type = string_at(event, {"type"});
  auto const* const block = object_at(event, "contentBlockDelta");  // Bedrock
  auto const* const delta = object_at(block == nullptr ? event : *block, "delta");
  bool const is_beside =
      delta != nullptr && (is_one_of(string_at(*delta, {"type"}), {"signature_delta", "citations_delta"}) ||
                           first_of(*delta, {"reasoningContent", "citation"}) != nullptr);
  if (is_beside || is_one_of(type, {"reasoning-signature", "source"})) return true;
  return is_one_of(type, {"start", "finish", "ping", "raw", "message_start", "message_delta", "message_stop",
                          "content_block_stop", "stream-start", "response-metadata"}) ||
         type.starts_with("response.") || type.starts_with("tool-input-") || type.ends_with("-start") ||
         type.ends_with("-end") || type.ends_with("-step") || type.starts_with("step-") ||
         (type.empty() && first_of(event, {"messageStart", "messageStop", "contentBlockStop", "metadata"}) != nullptr);
}

/// The block that an event begins; null: it begins none, or one whose text comes in pieces.
json::value begun_by(json::object const& event) {
  if (auto const* const start = object_at(event, "contentBlockStart")) {
    auto const* const block = object_at(*start, "start");
    return block == nullptr || block->empty() ? json::value{} : json::value(*block);
  }
  auto const* const block = object_at(event, "content_block");
  if (block == nullptr) return nullptr;
  bool const is_empty =
      is_one_of(string_at(*block, {"type"}), {"text", "thinking"}) && string_at(*block, {"text", "thinking"}).empty();
  return is_empty ? json::value{} : json::value(*block);
}

void add_piece(Piece const& piece, json::array& parts) {
  if (piece.type == "input" && !parts.empty() && parts.back().is_object()) {
    auto* call = &parts.back().get_object();
    if (auto* const inner = call->if_contains("toolUse"); inner != nullptr && inner->is_object())
      call = &inner->get_object();
    auto& input = (*call)["input"];
    if (!input.is_string()) input = "";
    input.get_string().append(piece.text);
    return;
  }
  auto* const last = parts.empty() ? nullptr : parts.back().if_object();
  auto* const known = last != nullptr && string_at(*last, {"type"}) == piece.type ? last->if_contains("text") : nullptr;
  if (known != nullptr && known->is_string()) {
    known->get_string().append(piece.text);
  } else {
    parts.push_back(json::object{{"type", piece.type}, {"text", piece.text}});
  }
}

bool is_event(json::value const& value) {
  auto const* const object = value.if_object();
  return object != nullptr && (!string_at(*object, {"type"}).empty() || piece_of(*object) || is_mark(*object) ||
                               object->contains("contentBlockStart"));
}

/// What OpenAI's Responses say whole at the end of a stream, or of each item; null: nothing.
json::value said_whole(json::array const& events) {
  json::array items;
  for (auto const& each : events) {
    auto const& event = each.get_object();
    auto const type = string_at(event, {"type"});
    auto const* const response = object_at(event, "response");
    if (response != nullptr && is_one_of(type, {"response.completed", "response.incomplete"})) return *response;
    if (auto const* const item = object_at(event, "item"); item != nullptr && type == "response.output_item.done")
      items.emplace_back(*item);
  }
  return items.empty() ? json::value{} : json::value(json::object{{"output", std::move(items)}});
}

json::value whole_of_events(json::array const& events) {
  if (auto whole = said_whole(events); !whole.is_null()) return whole;
  json::array parts;
  json::array marks;
  for (auto const& each : events) {
    auto const& event = each.get_object();
    if (auto const piece = piece_of(event)) {
      add_piece(*piece, parts);
    } else if (event.contains("content_block") || event.contains("contentBlockStart")) {
      if (auto block = begun_by(event); !block.is_null()) parts.push_back(std::move(block));
    } else {
      (is_mark(event) ? marks : parts).push_back(each);
    }
  }
  json::object whole{{"role", "assistant"}, {"content", std::move(parts)}};
  if (!marks.empty()) whole["events"] = std::move(marks);
  return whole;
}

}  // namespace

std::optional<json::value> whole_of(json::value const& held) {
  auto const* const list = held.if_array();
  if (list == nullptr || list->empty()) return std::nullopt;
  auto const chunk = [](json::value const& each) { return each.is_object() && is_chunk(each.get_object()); };
  if (std::ranges::all_of(*list, chunk)) return whole_of_chunks(*list);
  auto const piece = [](json::value const& each) { return piece_of(each.get_object()).has_value(); };
  if (!std::ranges::all_of(*list, is_event) || std::ranges::none_of(*list, piece)) return std::nullopt;
  return whole_of_events(*list);
}

}  // namespace whence::net::capture
