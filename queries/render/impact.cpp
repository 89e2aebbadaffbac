// Members and lists of the answers about bad answers and their sources.

#include "queries/render/impact.hpp"

#include "queries/render/lineage.hpp"
#include "queries/render/lists.hpp"
#include "schema/base/interrupt.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace whence::queries {
namespace {

void write_where_known(Writer& out, std::string_view name, std::optional<double> const& value) {
  if (value) out.member(name, *value);
}

void write_suspicion(Writer& out, Suspicion const& suspicion, Blame const& blame) {
  out.member("rated", suspicion.rated).member("bad", suspicion.bad).member("rate", suspicion.rate);
  write_where_known(out, "others_rate", suspicion.others_rate);
  write_where_known(out, "lift", suspicion.lift);
  write_where_known(out, "lower", suspicion.lower);
  out.member("share", suspicion.share);
  if (suspicion.same_answers > 0) out.member("same_answers", suspicion.same_answers);
  out.member("verdict", schema::name_of(suspicion.verdict))
      .member("says", std::string_view(sentence_of(suspicion, blame)));
}

void write_sets(Writer& out, Snapshot const& snapshot, MinimalSets const& found) {
  out.key("sets").begin_array();
  for (auto const& set : found.sets) {
    out.begin_array();
    for (auto const member : set) write_ref(out, snapshot, member);
    out.end_array();
  }
  out.end_array();
}

void write_inputs(Writer& out, Snapshot const& snapshot, CallInputs const& found) {
  out.key("inputs").begin_array();
  for (auto const& input : found.inputs) {
    write_ref(out.begin_object().key("ref"), snapshot, input.vertex);
    out.member("kind", schema::name_of(input.kind)).member("state", schema::name_of(input.state));
    if (input.newer) write_ref(out.key("newer"), snapshot, *input.newer);
    out.end_object();
  }
  out.end_array();
  if (found.more > 0) out.member("more_inputs", std::uint64_t{found.more});
}

/// The count always; the sum where it says something.
void write_sum(Writer& out, std::string_view count, std::string_view name, KnownSum const& sum) {
  out.member(count, sum.known);
  if (sum.known > 0 && std::isfinite(sum.sum)) out.member(name, sum.sum);
}

void write_check(Writer& out, std::string_view name, std::optional<QuoteCheck> const& check) {
  if (!check) return;
  out.key(name).begin_object().member("match", schema::name_of(check->match));
  if (check->match == QuoteMatch::altered || check->match == QuoteMatch::not_found) {
    out.member("altered", check->altered);
  }
  out.end_object();
}

void write_citation(Writer& out, Snapshot const& snapshot, CheckedCitation const& citation) {
  out.begin_object()
      .member("number", std::uint64_t{citation.number})
      .member("document_name", std::string_view(citation.document_name));
  if (citation.chunk) write_ref(out.key("chunk"), snapshot, *citation.chunk);
  write_check(out, "then", citation.then);
  write_check(out, "now", citation.now);
  out.end_object();
}

}  // namespace

PageSource render(View const& view, Blame&& blame, BlameParams const& params) {
  auto const found = std::make_shared<Blame const>(std::move(blame));
  auto const write_node = [found](Writer& out, Suspect const& each) { write_suspicion(out, each.suspicion, *found); };
  auto const write_name = [found](Writer& out, NamedSuspect const& each) {
    out.begin_object().member("name", std::string_view(each.name));
    write_suspicion(out, each.suspicion, *found);
    out.end_object();
  };
  bool const is_named = params.of == BlameOf::tools || params.of == BlameOf::agents || params.of == BlameOf::models;
  return {.lists = {is_named ? list_of_each("names", found, found->names, write_name)
                             : node_list("nodes", found, view, found->nodes, params.include, write_node)},
          .incomplete = found->incomplete,
          .write_members = [view, found](Writer& out) {
            out.member("all_rated", found->rated).member("all_bad", found->bad);
            if (found->rated > 0) out.member("average", static_cast<double>(found->bad) / found->rated);
            write_where_known(out, "depth", found->depth);
            write_cut(out, view, found->cut);
          }};
}

PageSource render(View const& view, Without&& without, WithoutParams const& params) {
  auto const found = std::make_shared<Without const>(std::move(without));
  auto const write_answer = [view, has_sets = params.sets](Writer& out, AffectedAnswer const& answer) {
    out.member("depth", answer.depth).member("effect", std::string_view(answer.is_lost ? "lost" : "weakened"));
    out.member("lost", answer.lost).member("remains", 1 - answer.lost);
    if (answer.sets) write_sets(out, view.snapshot, *answer.sets);
    if (has_sets && !(answer.sets && answer.sets->are_all)) out.member("sets_complete", false);
  };
  auto const write_fallen = [](Writer& out, FallenNode const& node) { out.member("depth", node.depth); };
  auto const write_alternative = [](Writer& out, Alternative const& source) {
    out.member("supports", source.answers).member("share", source.share);
  };
  PageSource source{.lists = {node_list("answers", found, view, found->answers, params.include, write_answer),
                              node_list("fallen", found, view, found->fallen, params.include, write_fallen)},
                    .incomplete = found->incomplete,
                    .write_members = [view, found](Writer& out) {
                      out.key("counts").begin_object();
                      out.member("lost", found->lost).member("weakened", found->weakened);
                      out.member("untouched", found->untouched).member("fallen", std::uint64_t{found->fallen.size()});
                      if (found->alternatives) out.member("alternatives", std::uint64_t{found->alternatives->size()});
                      out.end_object();
                      if (!found->has_all_alternatives) out.member("alternatives_complete", false);
                      write_cut(out, view, found->cut);
                    }};
  if (found->alternatives) {
    source.lists.push_back(
        node_list("alternatives", found, view, *found->alternatives, params.include, write_alternative));
  }
  return source;
}

PageSource render(View const& view, ReplayPlan&& plan, ReplayPlanParams const& params) {
  auto const found = std::make_shared<ReplayPlan const>(std::move(plan));
  auto const write_call = [view, found](Writer& out, PlannedCall const& call) {
    out.member("depth", call.depth).member("stage", call.stage);
    out.member("effect", schema::name_of(call.effect)).member("lost", call.lost);
    write_where_known(out, "input_tokens", call.input_tokens);
    write_where_known(out, "output_tokens", call.output_tokens);
    write_where_known(out, "cost", call.cost);
    write_inputs(out, view.snapshot, inputs_of(view.snapshot, *found, call.vertex));
  };
  return {.lists = {node_list("calls", found, view, found->calls, params.include, write_call)},
          .incomplete = found->incomplete,
          .write_members = [view, found](Writer& out) {
            out.key("counts").begin_object().member("calls", std::uint64_t{found->calls.size()});
            out.member("stages", found->stages);
            write_sum(out, "with_input_tokens", "input_tokens", found->input_tokens);
            write_sum(out, "with_output_tokens", "output_tokens", found->output_tokens);
            write_sum(out, "with_cost", "cost", found->cost);
            out.end_object();
            write_cut(out, view, found->cut);
          }};
}

PageSource render(View const& view, Stale&& stale, StaleParams const& params) {
  auto const found = std::make_shared<Stale const>(std::move(stale));
  auto const write_source = [view](Writer& out, StaleSource const& source) {
    out.key("reasons").begin_array();
    for (auto const reason : source.reasons) out.value(schema::name_of(reason));
    out.end_array();
    if (source.newer) write_ref(out.key("newer"), view.snapshot, *source.newer);
  };
  auto const write_checked = [view](Writer& out, CheckedCitation const& citation) {
    write_citation(out, view.snapshot, citation);
  };
  return {.lists = {node_list("sources", found, view, found->sources, params.include, write_source),
                    node_list("answers", found, view, found->answers, params.include),
                    list_of_each("citations", found, found->citations, write_checked)},
          .incomplete = found->incomplete,
          .write_members = [view, found](Writer& out) { write_cut(out, view, found->cut); }};
}

}  // namespace whence::queries
