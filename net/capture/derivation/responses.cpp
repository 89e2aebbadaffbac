// A response is made when its span comes, and again when more may be known of it (`may_have_grown`). Its causes only
// grow. Those by place that better evidence replaces are taken back by beginning the response anew (`take_back`).

#include "net/capture/derivation/responses.hpp"

#include "net/capture/known/known_records.hpp"
#include "net/capture/messages/comparable.hpp"
#include "net/capture/messages/joined.hpp"
#include "net/capture/messages/tool_calls.hpp"
#include "net/capture/records/span_records.hpp"
#include "net/capture/trace/record_texts.hpp"
#include "net/capture/trace/refs.hpp"
#include "net/plain_text/sought_texts.hpp"
#include "schema/base/limits.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace whence::net::capture {

using schema::Basis;
namespace limits = schema::limits;

Result<void> Responses::make_response(SpanName const& name, SpanFacts const& call) {
  if (outer_.is_outer(name)) return pass_outer(name);
  if (!may_have_grown(name, call)) return {};
  auto const ref = *record_ref(name, Kind::call);
  auto const fresh = all_.fresh.find(name);
  std::optional<schema::Response> before;
  if (fresh == all_.fresh.end()) {
    auto known = read_response(all_, ref);
    if (!known) return known.error();
    if (!*known) return {};  // deleted since: it stays so
    before = **known;
  }
  auto response = before ? *before : response_of(*fresh->second);
  if (auto filled = add_untold(name, response); !filled) return filled;
  response.agent = agent_text(around_.agent_of(name, call));
  add_beside(name, response);
  auto belonging = around_.belonging_of(call, name);
  auto const set_name = [](std::optional<std::string>& to, std::string const& text) {
    if (auto id = belonging_text(text); !id.empty()) to = std::move(id);
  };
  set_name(response.conversation, belonging.conversation);
  set_name(response.person, belonging.person);
  auto refs = known_causes(response);
  for (auto const& deleted : all_.deleted) refs.erase(deleted);
  auto const placed = before ? take_placed(refs) : Causes{};
  auto const said = around_.said_of(name, call);
  auto const kept = before ? units_.kept_messages(refs) : Result<KeptMessages>{KeptMessages{}};
  if (!kept) return kept.error();
  auto const read = prompt_of(name, call, response, refs, said, *kept);
  if (!read) return read.error();
  auto const& prompt = *read;
  auto found = causes_.causes_of(name, call, prompt, refs, !placed.empty());
  if (!found) return found.error();
  std::vector<Message> messages;
  if (fresh != all_.fresh.end()) messages = fresh->second->input;
  for (auto const& [unit, message] : *kept) messages.push_back(message);
  for (auto const& message : said.input) messages.push_back(message);
  if (auto filled = tools_.fill_results(name, call, messages, causes_.sources_in(name.trace)); !filled) return filled;
  if (fresh != all_.fresh.end()) use_all(name.trace, fresh->second->input, call, found->refs, *found, refs);
  auto const superseded = before ? take_superseded(refs, *found) : Causes{};
  refs.merge(found->refs);  // else an edge stays as it came
  if (auto added = add_said(name, call, said, *found, response, refs); !added) return added;
  std::map<std::string, Basis> dropped;
  for (auto const& [unit, message] : *kept) {
    if (!causes_.is_of_source(name.trace, call, message, refs, *found)) continue;
    auto const node = refs.extract(unit);
    if (!node.empty()) dropped.emplace(unit, node.mapped());
  }
  if (auto taken = take_back(name, placed, superseded, refs); !taken) return taken;
  set_causes(refs, response);
  if (found->is_cut || refs.size() > limits::refs_max) note_causes_left_out(response);
  if (before && *before == response) return {};
  response.flags = {};
  made_.insert(ref.id);
  for (auto const& [unit, basis] : dropped) units_.drop(unit, all_.out.records.size(), basis);
  all_.write(std::move(response));
  return {};
}

Result<void> Responses::take_back(SpanName const& name, Causes const& placed, Causes const& superseded, Causes& refs) {
  auto const is_still = [&](auto const& each) {
    auto const now = refs.find(each.first);
    return now != refs.end() && now->second == Basis::place;
  };
  if (superseded.empty() && std::ranges::all_of(placed, is_still)) return {};
  auto const is_renewed = renewals_.renew(name, refs);
  if (!is_renewed) return is_renewed.error();
  if (*is_renewed) return {};
  refs.insert(superseded.begin(), superseded.end());
  // Those from before stay, and others come while there is room: what is full changes no more.
  auto const added = take_placed(refs);
  auto count = placed.size();
  for (auto const& [ref, basis] : placed) refs[ref] = basis;
  for (auto const& [ref, basis] : added) {
    if (count < place_max && refs.emplace(ref, basis).second) ++count;
  }
  return {};
}

bool Responses::may_have_grown(SpanName const& name, SpanFacts const& call) {
  if (around_.is_new(name)) return true;
  auto const& moved = around_.moved_sources(name.trace);
  // Where none of them has ended before the call, the one that ended first has not. Clocks say nothing of what has an
  // id.
  auto const reach = around_.of(name.trace).clocks.are_several() ? ahead_max : 0;
  bool const has_source =
      moved.first_end && (may_have_ended_before(*moved.first_end, call) || *moved.first_end <= call.start + reach);
  auto const is_moved = [&](std::string const& id) { return moved.calls.contains(id); };
  if (!moved.calls.empty() && std::ranges::any_of(call.results, is_moved)) return true;
  auto const& earlier = earlier_.earliest_answer(name.trace);
  bool const has_answer = earlier && *earlier < Place{call.start + reach, name};
  return has_source || has_answer ||
         std::ranges::any_of(call.links, [&](SpanName const& link) { return all_.fresh.contains(link); });
}

Result<Prompt> Responses::prompt_of(SpanName const& name, SpanFacts const& call, schema::Response const& response,
                                    Causes const& refs, Said const& said, KeptMessages const& messages) const {
  Prompt prompt;
  if (auto const fresh = all_.fresh.find(name); fresh != all_.fresh.end()) {
    for (auto const& message : fresh->second->input) prompt.add(all_.key, message);
  } else {
    prompt.results.insert(call.results.begin(), call.results.end());
    std::optional<std::string> text = response.prompt;
    if (call.has_prompt && !text && response.prompt_blob) {
      auto kept = all_.reader.read_blob(*response.prompt_blob);
      if (!kept && kept.error().code != Errc::purged) return kept.error();
      if (kept) text = std::move(*kept);
    }
    if (call.has_prompt && text) {
      prompt.text = plain_text::folded(*text);
      prompt.messages.push_back(prompt.text);
      prompt.messages.insert(prompt.messages.end(), call.brief.begin(), call.brief.end());
    }
    for (auto const& [unit, message] : messages) prompt.add_answer(all_.key, message);
    new_.note_answers(refs, prompt);
  }
  for (auto const& message : said.input) prompt.add(all_.key, message);
  return prompt;
}

Result<void> Responses::add_said(SpanName const& name, SpanFacts const& call, Said const& said, CallCauses const& found,
                                 schema::Response& response, Causes& refs) {
  if (!said.input.empty()) {
    auto own = call.has_prompt ? own_messages(name, response) : Result<std::vector<Message>>{std::vector<Message>{}};
    if (!own) return own.error();
    auto const all = call.has_prompt ? merged(*own, said.input) : said.input;
    if (!call.has_prompt || all.size() > own->size()) {
      auto const causes = refs;
      use_all(name.trace, said.input, call, causes, found, refs);
      set_prompt(all, response);
    }
    set_prompt_reasoning(joined_reasoning(said.input), response);
  }
  if (said.output.empty()) return {};
  auto const answer = joined_answer(said.output);
  bool const is_beside = response.content && are_calls(answer) != are_calls(*response.content) &&
                         response.content->find(answer) == std::string::npos;
  if (is_beside && !call.answer_hash.empty()) {
    set_text(response.content, response.content_blob,
             content_of(are_calls(answer) ? *response.content + "\n\n" + answer : answer + "\n\n" + *response.content));
    set_reasoning(joined_reasoning(said.output), response);
    return {};
  }
  bool const is_more = response.content && !response.content_blob &&
                       comparable(answer).text.find(comparable(*response.content).text) != std::string::npos;
  if (call.answer_hash.empty() || (is_more && answer.size() > response.content->size()))
    set_text(response.content, response.content_blob, content_of(answer));
  set_reasoning(joined_reasoning(said.output), response);
  return {};
}

Result<void> Responses::add_untold(SpanName const& name, schema::Response& response) const {
  for (auto const& inner : outer_.untold_within(name)) {
    std::optional<schema::Response> known;
    if (auto const fresh = all_.fresh.find(inner); fresh != all_.fresh.end()) {
      known = response_of(*fresh->second);
    } else {
      auto read = read_response(all_, *record_ref(inner, Kind::call));
      if (!read) return read.error();
      known = std::move(*read);
    }
    if (!known) continue;
    if (response.model == name_text({}, limits::model_max)) response.model = known->model;
    if (!response.usage) response.usage = known->usage;
    if (!response.cost) response.cost = known->cost;
    auto const held = known->attributes ? schema::json::parse(known->attributes->json) : schema::json::parse("{}");
    if (held && held->value.is_object()) set_beside(held->value.get_object(), response);
  }
  return {};
}

void Responses::add_beside(SpanName const& name, schema::Response& response) {
  auto const [at, is_new] = beside_.try_emplace(name.trace);
  if (is_new) {
    for (auto const& [id, facts] : all_.states.at(name.trace).logs) {
      if (!facts.beside.empty()) at->second[facts.span].push_back(&facts);
    }
  }
  auto const said = at->second.find(name.span);
  if (said == at->second.end()) return;
  std::ranges::sort(said->second, {}, [](LogFacts const* each) { return std::tie(each->time, each->id); });
  for (auto const* const each : said->second) set_beside(each->beside, response);
}

Result<std::vector<Message>> Responses::own_messages(SpanName const& name, schema::Response const& response) const {
  if (auto const fresh = all_.fresh.find(name); fresh != all_.fresh.end()) return fresh->second->input;
  auto const text = kept_text(all_, response.prompt, response.prompt_blob);
  if (!text) return text.error();
  return text->empty() ? std::vector<Message>{} : messages_of_prompt(*text, response);
}

void Responses::use_all(std::string const& trace, std::vector<Message> const& messages, SpanFacts const& call,
                        Causes const& causes, CallCauses const& found, Causes& refs) {
  for (auto const& message : messages) {
    for (auto const& part : parts_of(message)) {
      if (!causes_.is_of_source(trace, call, part, causes, found)) units_.use(part, call, refs);
    }
  }
}

Result<void> Responses::pass_outer(SpanName const& name) {
  auto const ref = *record_ref(name, Kind::call);
  if (!all_.deleted.contains(schema::format_ref(ref))) return {};
  auto const response = read_response(all_, ref);
  if (!response) return response.error();
  if (!*response) return {};
  auto const kept = units_.kept_messages(known_causes(**response));
  if (!kept) return kept.error();
  for (auto const& [unit, message] : *kept) units_.drop_with_response(unit);
  return {};
}

}  // namespace whence::net::capture
