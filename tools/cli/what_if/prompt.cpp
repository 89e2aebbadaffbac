// Texts in prompts are found as they are: what is not in a prompt cannot be left out of it, and that is said.

#include "tools/cli/what_if/prompt.hpp"

#include "net/plain_text/cell.hpp"
#include "schema/encoding/code_points.hpp"
#include "schema/json/members.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace whence::tools {
namespace {

namespace json = boost::json;
using net::plain_text::cell;

std::string role_of(std::string_view role) {
  constexpr std::array kept{"system", "developer", "user", "assistant"};
  if (std::ranges::find(kept, role) != kept.end()) return std::string(role);
  return role == "ai" || role == "model" ? "assistant" : "user";
}

std::vector<ModelMessage> recorded_messages(json::object const& record) {
  auto const prompt = cell(record, "prompt");
  std::vector<ModelMessage> messages;
  for (auto const& each : schema::json::list_at(record, "prompt_messages")) {
    auto const& part = each.as_object();
    auto const byte_at = [&](std::string_view member) {
      return schema::start_of_code_point(prompt, static_cast<std::uint64_t>(part.at(member).as_int64()));
    };
    auto const start = byte_at("start");
    auto const end = byte_at("end");
    messages.push_back({role_of(cell(part, "role")), prompt.substr(start, end - start)});
  }
  if (messages.empty()) messages.push_back({"user", prompt});
  return messages;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool is_of_word(char each) {
  return std::isalnum(static_cast<unsigned char>(each)) != 0 || (static_cast<unsigned char>(each) & 0x80U) != 0;
}

/// Where `sought` begins in `text` and is not a part of longer words: the answer "4" is not in "14".
std::size_t find_words(std::string_view text, std::string_view sought, std::size_t from) {
  for (auto at = text.find(sought, from); at != std::string_view::npos; at = text.find(sought, at + 1)) {
    auto const end = at + sought.size();
    bool const is_cut_before = at > 0 && is_of_word(text[at - 1]) && is_of_word(sought.front());
    bool const is_cut_after = end < text.size() && is_of_word(text[end]) && is_of_word(sought.back());
    if (!is_cut_before && !is_cut_after) return at;
  }
  return std::string_view::npos;
}

/// Shorter texts may be in others by chance.
constexpr std::size_t contained_bytes_min = 16;

/// What a text becomes of which others are a part.
std::string edited_within(std::string const& text, ReplayTexts const& known) {
  auto edits = known.edits;
  std::erase_if(edits,
                [&](TextEdit const& each) { return each.before.size() < contained_bytes_min && each.before != text; });
  return edited(text, std::move(edits));
}

/// What one input of a call becomes.
struct InputNow {
  std::string ref;
  std::string kind;
  std::string state;
  std::string newer;  ///< the ref of what is in its place; empty where there is nothing
  std::optional<std::string> before;
  std::optional<std::string> after = {};  ///< nothing: it is left out, or not known
};

std::vector<InputNow> inputs_now(json::object const& call, ReplayTexts const& known) {
  std::vector<InputNow> inputs;
  for (auto const& each : schema::json::list_at(call, "inputs")) {
    auto const& item = each.as_object();
    InputNow input{cell(item, "ref"), cell(item, "kind"), cell(item, "state"), cell(item, "newer"), {}};
    input.before = known.text_of(input.ref);
    auto const answer = known.answers.find(input.ref);
    if (answer != known.answers.end()) {
      input.after = answer->second;
    } else if (input.state == "mended") {
      input.after = known.text_of(input.newer);
    } else if (input.state == "changed" && input.before) {
      input.after = edited_within(*input.before, known);
    } else if (input.state != "left_out") {
      input.after = input.before;
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

/// Changes the recorded prompt.
void change_recorded(json::object const& record, std::vector<InputNow> const& inputs, ReplayPrompt& made) {
  auto const before = recorded_messages(record);
  auto const is_in_prompt = [&](std::string const& text) {
    return std::ranges::any_of(
        before, [&](auto const& each) { return find_words(each.content, text, 0) != std::string::npos; });
  };
  std::vector<TextEdit> edits;
  for (auto const& input : inputs) {
    bool const goes = input.state == "left_out";
    if (input.state == "mended" && !input.after) {
      made.why_not = "nobody knows the text of " + input.newer;
      return;
    }
    if (!goes && input.before == input.after) continue;
    if (!input.before || input.before->empty()) {
      made.why_not = "nobody knows the text of " + input.ref;
      return;
    }
    if (!is_in_prompt(*input.before)) {
      made.why_not = "the text of " + input.ref + " is not in its prompt";
      return;
    }
    edits.push_back({*input.before, goes ? std::string() : input.after.value_or("")});
  }
  for (auto const& each : before) {
    auto content = edited(each.content, edits);
    if (is_blank(content) && !is_blank(each.content)) continue;
    made.messages.push_back({each.role, std::move(content)});
  }
  made.is_as_before = made.messages == before;
  if (made.messages.empty()) made.why_not = "nothing is left of its prompt";
}

/// Puts a prompt together where none was recorded.
void put_together(json::object const& record, std::vector<InputNow> const& inputs, ReplayPrompt& made) {
  std::string evidence;
  std::string question;
  std::size_t number = 0;
  bool has_changed = false;
  for (auto const& input : inputs) {
    has_changed = has_changed || input.state == "left_out" || input.before != input.after;
    if (input.state == "left_out") continue;
    if (!input.after) {
      made.why_not = "nobody knows the text of " + (input.state == "mended" ? input.newer : input.ref);
      return;
    }
    if (input.kind == "instruction") {
      made.messages.push_back({"system", *input.after});
    } else if (input.kind == "question") {
      question += (question.empty() ? "" : "\n\n") + *input.after;
    } else {
      evidence += "[" + std::to_string(++number) + "] " + *input.after + "\n\n";
    }
  }
  if (question.empty()) question = cell(record, "question");
  made.is_as_before = !has_changed;
  if (question.empty()) {
    made.why_not = "neither its prompt nor its question is known";
    return;
  }
  made.messages.push_back({"user", evidence + question});
}

}  // namespace

std::optional<std::string> ReplayTexts::text_of(std::string const& ref) const {
  auto const known = texts.find(ref);
  return known == texts.end() ? std::nullopt : known->second;
}

std::optional<std::string> text_in_record(json::object const& record) {
  for (auto const* const member : {"content", "text", "answer", "question", "promptText", "xml", "summary"}) {
    auto const* const value = record.if_contains(member);
    if (value != nullptr && value->is_string()) return std::string(value->get_string());
  }
  return std::nullopt;
}

std::string edited(std::string const& text, std::vector<TextEdit> edits) {
  std::erase_if(edits, [&](TextEdit const& each) {
    return each.before.empty() || each.before == each.after || find_words(text, each.before, 0) == std::string::npos;
  });
  std::ranges::stable_sort(edits, [](auto const& a, auto const& b) { return a.before.size() > b.before.size(); });
  // In one pass, so that a new text is not changed again by an edit that is meant for an old one.
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t first = std::string::npos;
    TextEdit const* found = nullptr;
    for (auto const& edit : edits) {
      auto const place = find_words(text, edit.before, at);
      if (place < first) {
        first = place;
        found = &edit;
      }
    }
    made.append(text, at, (found == nullptr ? text.size() : first) - at);
    if (found == nullptr) break;
    made += found->after;
    at = first + found->before.size();
  }
  return made;
}

ReplayPrompt prompt_of(json::object const& call, ReplayTexts const& known) {
  ReplayPrompt made;
  auto const* const value = call.if_contains("record");
  if (value == nullptr || !value->is_object()) {
    made.why_not = "its content is gone";
    return made;
  }
  if (call.contains("more_inputs")) {
    made.why_not = "it has more inputs than a plan lists";
    return made;
  }
  auto const& record = value->get_object();
  auto const inputs = inputs_now(call, known);
  for (auto const& input : inputs) {
    if (input.state == "changed" && input.before == input.after) made.unsure.push_back(input.ref);
  }
  if (cell(record, "prompt").empty()) {
    put_together(record, inputs, made);
  } else {
    change_recorded(record, inputs, made);
  }
  return made;
}

}  // namespace whence::tools
