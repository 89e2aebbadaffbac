// Members of the answers about discussions.

#include "queries/render/discussion.hpp"

#include "queries/render/forms.hpp"
#include "schema/types/ref.hpp"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::queries {
namespace {

void write_refs(Writer& out, std::vector<NodeRef> const& refs) {
  out.key("refs").begin_array();
  for (NodeRef const& ref : refs) out.value(std::string_view(schema::format_ref(ref)));
  out.end_array();
}

void write_current_summary(Writer& out, View const& view, schema::DiscussionState const& state) {
  out.key("currentSummary");
  if (auto const* summary = state.current_summary()) {
    write_record(out, schema::Record(*summary), view.snapshot);
  } else {
    out.null();
  }
}

void write_warnings(Writer& out, std::vector<Violation> const& warnings) {
  if (warnings.empty()) return;
  out.key("warnings").begin_array();
  for (Violation const& warning : warnings) {
    out.begin_object().member("rule", warning.rule).member("path", warning.path);
    out.member("message", warning.message).end_object();
  }
  out.end_array();
}

void write_facts(Writer& out, View const& view, DiscussionFacts const& facts) {
  auto const& state = facts.state;
  auto const& discussion = state.discussion;
  schema::NodeRef const ref{schema::RecordType::discussion,
                            schema::discussion_key(discussion.user_id, discussion.discussion_id)};
  out.member("ref", std::string_view(schema::format_ref(ref)));
  out.member("userId", discussion.user_id).member("discussionId", discussion.discussion_id);
  for (auto const& each : facts.gone) {
    if (view.snapshot.type(each.vertex) == schema::RecordType::discussion) write_gone(out, each.why);
  }
  if (discussion.topic) out.member("topic", *discussion.topic);
  if (discussion.is_resolved) out.member("isResolved", *discussion.is_resolved);
  if (discussion.needs_user_input) out.member("needsUserInput", *discussion.needs_user_input);
  if (discussion.created_at) out.member("createdAt", discussion.created_at->value);
  if (auto const updated = state.updated_at(); updated.value != 0) out.member("updatedAt", updated.value);
  out.member("rounds", facts.rounds).key("currentRound");
  facts.current_round ? out.value(*facts.current_round) : out.null();
  if (facts.current_turn) out.member("currentTurn", *facts.current_turn);
  out.key("next");
  facts.next ? out.value(schema::speaker(*facts.next).name) : out.null();
  out.member("tokenCount", facts.token_count);
  write_current_summary(out, view, state);
  out.key("paths");
  if (facts.file_stem.empty()) {
    out.null();
  } else {
    out.begin_object().member("json", facts.file_stem + ".json").member("md", facts.file_stem + ".md").end_object();
  }
  write_gone_nodes(out, view.snapshot, facts.gone);
}

void write_context(Writer& out, View const& view, DiscussionContext const& context) {
  auto const& state = context.state;
  out.member("userId", state.discussion.user_id).member("discussionId", state.discussion.discussion_id);
  write_current_summary(out, view, state);
  out.key("rounds").begin_array();
  for (auto const& round : state.included_rounds()) write_record(out, schema::Record(round), view.snapshot);
  out.end_array().key("currentRound");
  if (auto const* open = state.open_round()) {
    out.value(open->round_number);
  } else {
    out.null();
  }
  out.member("tokens", context.tokens);
  write_refs(out, context.refs);
  write_gone_nodes(out, view.snapshot, context.gone);
  write_warnings(out, context.warnings);
}

}  // namespace

PageSource render(View const& view, DiscussionContext&& context, DiscussionParams const& /*params*/) {
  auto const found = std::make_shared<DiscussionContext const>(std::move(context));
  return {.write_members = [view, found](Writer& out) { write_context(out, view, *found); }};
}

PageSource render(View const& view, DiscussionFacts&& facts, DiscussionGetParams const& /*params*/) {
  auto const found = std::make_shared<DiscussionFacts const>(std::move(facts));
  return {.write_members = [view, found](Writer& out) { write_facts(out, view, *found); }};
}

PageSource render(View const& view, DiscussionPrompt&& prompt, DiscussionPromptParams const& /*params*/) {
  auto const found = std::make_shared<DiscussionPrompt const>(std::move(prompt));
  return {.write_members = [view, found](Writer& out) {
    out.member("prompt", found->text);
    write_refs(out, found->refs);
    write_gone_nodes(out, view.snapshot, found->gone);
    out.member("tokens", found->tokens);
    write_warnings(out, found->warnings);
  }};
}

PageSource render(View const& view, DiscussionTokens&& tokens, DiscussionParams const& /*params*/) {
  return {.write_members = [view, tokens = std::move(tokens)](Writer& out) {
    auto const& count = tokens.count;
    out.member("total", count.total()).key("parts").begin_object();
    out.member("responses", count.responses).member("system", count.system);
    out.member("overhead", count.overhead).member("summary", count.summary).end_object();
    out.member("rounds", std::uint64_t{count.rounds});
    write_gone_nodes(out, view.snapshot, tokens.gone);
  }};
}

}  // namespace whence::queries
