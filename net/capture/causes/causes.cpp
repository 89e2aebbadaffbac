// Joins what each kind of evidence says: earlier answers, results and links by their ids, earlier responses and items
// of sources of the trace. Whether a source may count by its place alone depends on what the others found, so it is
// asked last.

#include "net/capture/causes/causes.hpp"

#include "graph/snapshot/records.hpp"
#include "net/capture/messages/comparable.hpp"
#include "net/capture/messages/tool_calls.hpp"
#include "net/capture/messages/tool_text.hpp"
#include "net/capture/trace/record_texts.hpp"
#include "net/capture/trace/refs.hpp"
#include "net/plain_text/sought_texts.hpp"
#include "schema/records/context/records.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <variant>

namespace whence::net::capture {

using schema::Basis;
using schema::NodeRef;
using schema::RecordType;

Result<CallCauses> CauseFinder::causes_of(SpanName const& name, SpanFacts const& call, Prompt const& prompt,
                                          Causes const& known, bool has_placed) {
  auto const sources = sources_of(name.trace);
  if (!sources) return sources.error();
  auto const& around = around_.of(name.trace);
  bool const is_new = around_.is_new(name) || has_placed;
  CallCauses to;
  if (auto const joined = earlier_.add_answers(name, call, prompt, known, to); !joined) return joined.error();
  if (auto const joined = add_named(name, call, prompt, known, to); !joined) return joined.error();
  for (auto const& link : call.links) {
    if (auto const ref = linked_record(link, {call.start, name})) add_cause(to.refs, *ref, Basis::given);
  }
  std::set<std::string> earlier;  // says nothing of what the prompt itself has
  for (auto const& id : earlier_ids(call)) {
    auto ref = earlier_record(id, name, call);
    if (!ref) continue;
    add_cause(to.refs, *ref, Basis::id);
    to.referred.insert(id);
    earlier.insert(*std::move(ref));
  }
  auto const is_evidence = [&](auto const& each) {
    return (each.second == Basis::id || each.second == Basis::text) && !earlier.contains(each.first);
  };
  bool const has_evidence = std::ranges::any_of(to.refs, is_evidence) || std::ranges::any_of(known, is_evidence);
  auto const found = (*sources)->found_by({.call = call,
                                           .tree = around.tree,
                                           .clocks = around.clocks,
                                           .place = around.tree.find(name.span),
                                           .prompt = prompt,
                                           .known = known,
                                           .has_evidence = has_evidence,
                                           .moved = is_new ? nullptr : &around_.moved_sources(name.trace).spans});
  for (auto const& [ref, basis] : found.causes) add_cause(to.refs, ref, basis);
  to.superseded.insert(found.superseded.begin(), found.superseded.end());
  to.is_cut = to.is_cut || found.is_cut;
  return to;
}

Result<Sources const*> CauseFinder::sources_of(std::string const& trace) {
  auto const known = sources_.find(trace);
  if (known != sources_.end()) return &known->second;
  auto const& state = all_.states.at(trace);
  Sources sources(state);
  for (auto const& [span, facts] : state.spans) {
    if (facts.kind != Kind::retrieval && facts.kind != Kind::tool) continue;
    if (tools_.told_again(trace).contains(span)) continue;
    SpanName const name{trace, span};
    auto texts = texts_of(name, facts);
    if (!texts) return texts.error();
    auto const shared = tools_.found_below(tools_.teller_of(name));
    if (!shared) return shared.error();
    std::erase_if(*texts, [&](auto const& each) { return shared->contains(schema::parse_ref(each.first)->id); });
    sources.add(span, facts, schema::format_ref(*record_ref(name, facts.kind)), *texts);
  }
  sources.settle(around_.of(trace).tree, around_.of(trace).clocks);
  return &sources_.emplace(trace, std::move(sources)).first->second;
}

Result<std::vector<std::pair<std::string, std::string>>> CauseFinder::texts_of(SpanName const& name,
                                                                               SpanFacts const& facts) const {
  std::vector<std::pair<std::string, std::string>> texts;
  if (!facts.has_text) return texts;
  auto const teller = tools_.teller_of(name);
  if (auto const fresh = all_.fresh.find(teller); fresh != all_.fresh.end()) {
    if (facts.kind == Kind::tool) {
      texts.emplace_back(schema::format_ref(*record_ref(name, facts.kind)), fresh->second->answer);
    }
    for (auto& [id, text] : passages_of(all_.key, *fresh->second)) {
      if (!text.empty()) texts.emplace_back(schema::format_ref(RecordType::retrieved_chunk, id), std::move(text));
    }
    return texts;
  }
  std::vector<schema::VertexId> vertices;
  auto const add = [&](NodeRef const& ref) {
    auto const vertex = all_.snapshot.find(ref.type, ref.id);
    if (vertex && !all_.snapshot.gone(*vertex)) vertices.push_back(*vertex);
  };
  for (auto const& end : facts.kind == Kind::tool ? tools_.ends_of(name) : std::vector<SpanName>{}) {
    if (vertices.empty()) add(*record_ref(end, facts.kind));
  }
  for (auto const& id : facts.chunks) add({RecordType::retrieved_chunk, id});
  auto const read =
      graph::read_those_there(all_.snapshot, all_.reader, vertices, [&](std::size_t, schema::Record&& record) {
        if (auto const* const unit = std::get_if<schema::ContextUnit>(&record); unit != nullptr) {
          auto text = unit->content;
          if (!text && unit->content_blob) {
            if (auto kept = all_.reader.read_blob(*unit->content_blob))
              text = std::move(*kept);  // else it is not sought
          }
          if (text) texts.emplace_back(schema::format_ref(*record_ref(name, facts.kind)), std::move(*text));
        } else if (auto const* const chunk = std::get_if<schema::RetrievedChunk>(&record); chunk != nullptr) {
          texts.emplace_back(schema::format_ref(RecordType::retrieved_chunk, chunk->chunk_id), chunk->content);
        }
        return true;
      });
  if (!read) return read.error();
  return texts;
}

std::optional<std::string> CauseFinder::linked_record(SpanName name, Place const& place) const {
  if (auto const* const inner = outer_.instead_of(name); inner != nullptr) name = *inner;
  if (all_.find(name) != nullptr) name = tools_.told_by(std::move(name));
  auto const* const facts = all_.find(name);
  if (facts == nullptr || outer_.is_wrapper(name) || Place{facts->start, name} >= place) return std::nullopt;
  auto const ref = record_ref(name, facts->kind);
  return ref ? std::optional{schema::format_ref(*ref)} : std::nullopt;
}

std::optional<std::string> CauseFinder::earlier_record(std::string const& id, SpanName const& name,
                                                       SpanFacts const& call) const {
  auto const known = all_.named.find(id);
  if (known == all_.named.end()) return std::nullopt;
  std::optional<Place> latest;  // of those that gave this id
  std::optional<std::string> ref;
  for (auto const& giver : known->second.calls) {
    auto const* const facts = giver == name ? nullptr : all_.find(giver);
    if (facts == nullptr || facts->kind != Kind::call) continue;
    Place const place{facts->start, giver};
    if (latest && place < *latest) continue;
    auto found = linked_record(giver, {call.start, name});
    if (!found) continue;
    latest = place;
    ref = std::move(found);
  }
  return ref;
}

Result<void> CauseFinder::add_named(SpanName const& name, SpanFacts const& call, Prompt const& prompt,
                                    Causes const& known, CallCauses& to) {
  bool const has_others = std::ranges::any_of(known, [&](auto const& each) {
    return each.second == Basis::id && each.first.find(name.trace) == std::string::npos;
  });
  for (auto const& id : prompt.results) {
    if (sources_.at(name.trace).has_tool(id)) {
      if (has_others) supersede_others(name, id, to);
      continue;
    }
    std::set<SpanName> tools;
    auto const& fresh = new_.content().tools;
    if (auto const own = fresh.find(id); own != fresh.end()) {
      for (auto at = own->second.begin(); at != own->second.end() && tools.size() < users_max; ++at)
        tools.insert(tools_.told_by(*at));
    }
    auto const ref = named_call_ref(all_.key, id);
    auto const vertex = all_.snapshot.find(ref.type, ref.id);
    auto const around = vertex ? all_.snapshot.relations_to(*vertex) : graph::Neighbours{};
    for (std::size_t i = 0; i < std::min(around.size(), users_max); ++i) {
      auto const other = span_of_ref(all_.snapshot.id(around.vertices[i]));
      if (!other || other->trace == name.trace) continue;
      if (auto const state = all_.state_of(other->trace); !state) return state.error();
      auto const* const facts = all_.find(*other);
      if (facts != nullptr && facts->kind == Kind::tool && facts->call_id == id) tools.insert(tools_.told_by(*other));
    }
    // Some providers number the calls of each conversation anew: one of the same counts before the only one of all.
    auto const conversation = around_.belonging_of(call, name).conversation;
    auto const said_by = [&](SpanName const& tool) {
      return around_.belonging_of(*all_.find(tool), tool).conversation;
    };
    auto const is_other = [&](SpanName const& tool) { return said_by(tool) != conversation; };
    auto const others = conversation.empty() ? std::ptrdiff_t{0} : std::ranges::count_if(tools, is_other);
    bool const is_of_conversation = !conversation.empty() && static_cast<std::size_t>(others) + 1 == tools.size();
    auto const all = tools;
    if (is_of_conversation) std::erase_if(tools, is_other);
    if (tools.size() != 1 || all_.find(*tools.begin())->start > call.start + ahead_max) continue;
    if (!is_telling_id(id) && !is_of_conversation) {  // until another one comes: its text has to say that it is this
      if (!conversation.empty() && !said_by(*tools.begin()).empty()) continue;
      auto const is_same = has_text_in(*tools.begin(), prompt);
      if (!is_same) return is_same.error();
      if (!*is_same) continue;
    }
    for (auto const& tool : all) {
      if (!tools.contains(tool)) to.superseded.insert(schema::format_ref(*record_ref(tool, Kind::tool)));
    }
    to.given_back.insert(id);
    add_cause(to.refs, schema::format_ref(*record_ref(*tools.begin(), Kind::tool)), Basis::id);
  }
  return {};
}

void CauseFinder::supersede_others(SpanName const& name, std::string const& call_id, CallCauses& to) const {
  auto const ref = named_call_ref(all_.key, call_id);
  auto const vertex = all_.snapshot.find(ref.type, ref.id);
  auto const around = vertex ? all_.snapshot.relations_to(*vertex) : graph::Neighbours{};
  for (std::size_t i = 0; i < std::min(around.size(), users_max); ++i) {
    auto const other = span_of_ref(all_.snapshot.id(around.vertices[i]));
    if (other && other->trace != name.trace) to.superseded.insert(schema::format_ref(*record_ref(*other, Kind::tool)));
  }
}

Result<bool> CauseFinder::has_text_in(SpanName const& name, Prompt const& prompt) const {
  auto const texts = texts_of(name, *all_.find(name));
  if (!texts) return texts.error();
  plain_text::SoughtTexts sought;
  for (auto const& [ref, text] : *texts) sought.add(as_sent(text));
  return !sought.found_in(prompt.text, prompt.messages).empty();
}

bool CauseFinder::is_of_source(std::string const& trace, SpanFacts const& call, Message const& message,
                               Causes const& causes, CallCauses const& found) const {
  if (is_name_of_result(message)) return true;  // what it gave is the tool's
  if (found.referred.contains(referred_item(message))) return true;
  if (found.said_again.contains(answer_hash(all_.key, message.text))) return true;
  auto const& sources = sources_.at(trace);
  if (message.results.size() == 1 && message.text == message.results.front().text) {
    auto const& id = message.results.front().id;
    bool const is_named = std::ranges::any_of(sources.tools_of(id, call), [&](std::string_view span) {
      return causes.contains(schema::format_ref(*record_ref({trace, std::string(span)}, Kind::tool)));
    });
    if (found.given_back.contains(id) || is_named) return true;
  }
  auto const is_said_by_one = [&](std::string const& text) {
    return std::ranges::any_of(sources.sources_of(plain_text::folded(text), call),
                               [&](std::string_view ref) { return causes.contains(std::string(ref)); });
  };
  if (message.role == "tool" || !message.results.empty()) {  // it may say a little more around why a tool failed
    auto const failed = sources.failures_in(plain_text::folded(message.text), call);
    if (std::ranges::any_of(failed, [&](std::string_view ref) { return causes.contains(std::string(ref)); }))
      return true;
  }
  auto const within = wrapped_result(message.text);
  return is_said_by_one(message.text) || (!within.empty() && is_said_by_one(within));
}

}  // namespace whence::net::capture
