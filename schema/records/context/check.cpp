// Checks of context records: versions, sums of weights, repeated ids, manifests that agree with themselves.
#include "schema/base/limits.hpp"
#include "schema/base/report.hpp"
#include "schema/base/text.hpp"
#include "schema/checks/bounds.hpp"
#include "schema/checks/check_context.hpp"
#include "schema/records/context/rules.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace whence::schema {
namespace {

/// The sum of the weights in `list`, where each of them is fine.
template <class List>
void check_weight_sum(List const& list, Path const& at, Report& report) {
  double sum = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Path const item{at, i};
    if (!(list[i].weight >= 0 && list[i].weight <= 1) || report.has(Path{item, "weight"})) return;
    sum += list[i].weight;
  }
  if (list.empty() || is_weight_sum(sum)) return;
  report.add(at, "weight_sum", shown(sum), "the weights must sum to 1, give or take 0.01");
}

/// Whether a use gets the id of its unit from its text.
bool is_named_by_text(ContextReference const& use) {
  return use.context_unit_id.empty() && use.content && use.source;
}

/// Whose own text a use brings; empty where it has none.
std::string_view person_of(ContextReference const& use, Response const& response) {
  bool const is_own = response.person && is_own_text(use.type.value_or(ContextType::external));
  return is_own ? std::string_view(*response.person) : std::string_view{};
}

/// Names the units that come with their text and without an id. Each passage is used once: what it is given again adds
/// to its weight. In capture mode this holds for every unit.
void name_units(Response& response, CheckContext const& context) {
  auto const mode = context.mode;
  if (mode == Mode::strict && std::ranges::none_of(response.context_units, is_named_by_text)) return;
  std::unordered_map<std::string, std::size_t> first;
  std::vector<ContextReference> uses;
  uses.reserve(response.context_units.size());
  for (ContextReference& use : response.context_units) {
    if (mode == Mode::capture && use.content) {
      if (!use.source) use.source = "unknown";
      if (!use.type) use.type = ContextType::external;
    }
    bool const is_named_here = is_named_by_text(use);
    if (is_named_here) {
      use.context_unit_id = unit_id_of(context.id_key, *use.source, *use.content, person_of(use, response));
    }
    auto const [known, is_first] = first.try_emplace(std::string(use.name()), uses.size());
    bool const may_repeat = is_named_here || (mode == Mode::capture && !use.name().empty());
    if (is_first || !may_repeat) {
      uses.push_back(std::move(use));
    } else {
      uses[known->second].weight += use.weight;
    }
  }
  response.context_units = std::move(uses);
}

/// Weights that are left out share what the others leave, equally.
void fill_weights(Response& response) {
  double given = 0;
  std::size_t missing = 0;
  for (ContextReference const& use : response.context_units) {
    if (std::isnan(use.weight)) {
      ++missing;
    } else {
      given += std::max(use.weight, 0.0);
    }
  }
  if (missing == 0) return;
  double const share = std::max(1 - given, 0.0) / static_cast<double>(missing);
  for (ContextReference& use : response.context_units) {
    if (std::isnan(use.weight)) use.weight = share;
  }
  add_flag(response.flags, flag::weights_left_out);
}

/// Weights that do not sum to 1 are scaled; the given ones are kept beside them. One below 0 counts as 0; where all are
/// 0, the shares are equal.
void scale_weights(Response& response) {
  auto& uses = response.context_units;
  double largest = 0;
  double sum = 0;
  bool is_within = true;
  for (ContextReference const& use : uses) {
    largest = std::max(largest, use.weight);
    sum += use.weight;
    is_within = is_within && use.weight >= 0 && use.weight <= 1;
  }
  if (uses.empty() || (is_within && is_weight_sum(sum))) return;
  auto& given = response.given_weights.emplace();
  double parts = 0;  // of the largest, so that no sum overflows
  for (ContextReference const& use : uses) {
    given.push_back(use.weight);
    if (largest > 0) parts += std::max(use.weight, 0.0) / largest;
  }
  for (ContextReference& use : uses) {
    use.weight = largest > 0 ? std::max(use.weight, 0.0) / largest / parts : 1 / static_cast<double>(uses.size());
  }
  add_flag(response.flags, flag::scaled_weights);
}

/// A ref names a source of a type that may be used, and nothing else does.
void check_ref(ContextReference const& use, Path const& item, Report& report) {
  if (!use.ref) return;
  Path const at{item, "ref"};
  auto const ref = parse_ref(*use.ref);
  if (!use.context_unit_id.empty() || is_inline(use)) {
    report.add(at, "ref", shown(*use.ref), "give either a `ref`, or a `context_unit_id` or the unit itself");
  } else if (!ref || !is_usable(ref->type)) {
    report.add(at, "ref", shown(*use.ref),
               "must be a ref of a ContextUnit, RetrievedChunk, Document, Response, Message or Answer");
  }
}

/// What a use must have: a name or a text to make it from; in strict mode a weight, and source and type of a unit.
void check_uses(Response const& response, Mode mode, Path const& list, Report& report) {
  for (std::size_t i = 0; i < response.context_units.size(); ++i) {
    ContextReference const& use = response.context_units[i];
    Path const item{list, i};
    bool const is_unit = is_inline(use);
    if (is_unit && !use.source) report.add(Path{item, "source"}, "required", "", "a unit given here says its source");
    if (is_unit && !use.type) report.add(Path{item, "type"}, "required", "", "a unit given here says its type");
    check_ref(use, item, report);
    if (use.context_unit_id.empty() && !use.content && !use.ref && !report.has(Path{item, "ref"})) {
      report.add(Path{item, "context_unit_id"}, "required", "", "is required, or a ref, or content to make it from");
    }
    if (std::isnan(use.weight)) report.add(Path{item, "weight"}, "required", "", "is required");
  }
  if (mode == Mode::capture) return;
  check_item_count(response.context_units.size(), rules::items(1, limits::context_units_max), list, report);
}

/// An entry of a manifest's tree is a unit, or the whole ref of another source.
void check_use_name(std::string_view name, Path const& at, Report& report) {
  if (report.has(at)) return;
  auto const ref = parse_ref(name);
  bool const is_unit = ref && ref->type == RecordType::context_unit && ref->id == name;
  if (is_unit || (ref && ref->type != RecordType::context_unit && is_usable(ref->type) && format_ref(*ref) == name))
    return;
  report.add(at, "prefix", shown(name), "must start with cu_, or be a ref of another source such as Document:NAME");
}

/// A prompt is made from rounds and summaries, and in capture mode from whatever came before it, each named once.
void check_prompt_refs(std::vector<std::string> const& refs, Mode mode, Path const& list, Report& report) {
  for (std::size_t i = 0; i < refs.size(); ++i) {
    auto const ref = parse_ref(refs[i]);
    bool const is_discussed =
        ref && (ref->type == RecordType::discussion_round || ref->type == RecordType::summary_entry);
    bool const fits = is_discussed || (ref && mode == Mode::capture && is_promptable(ref->type));
    if (!fits) {
      report.add(Path{list, i}, "ref", shown(refs[i]),
                 mode == Mode::capture ? "must be a ref of a ContextUnit, RetrievedChunk, Document, Query, Response, "
                                         "Message, Answer, DiscussionRound or SummaryEntry"
                                       : "must be a ref of a DiscussionRound or SummaryEntry");
    }
  }
  check_distinct(
      refs, [](std::string const& ref) -> std::string_view { return ref; },
      [&](std::size_t i, std::string_view ref) {
        report.add(Path{list, i}, "duplicate_ref", shown(ref), "a node may be named once");
      });
}

/// Each ref has a basis, or none has.
void check_basis(Response const& response, Path const& root, Report& report) {
  if (!response.prompt_basis) return;
  auto const refs = response.prompt_refs ? response.prompt_refs->size() : 0;
  if (response.prompt_basis->size() == refs) return;
  report.add(Path{root, "prompt_basis"}, "items", std::to_string(response.prompt_basis->size()),
             "must have one for each of prompt_refs");
}

/// What was asked again is an answer, and another one.
void check_replay(Response const& response, Path const& root, Report& report) {
  if (!response.replay_of) return;
  Path const at{root, "replay_of"};
  auto const ref = parse_ref(*response.replay_of);
  if (!ref || !is_replayable(ref->type)) {
    report.add(at, "ref", shown(*response.replay_of), "must be a ref of a Response or an Answer");
  } else if (ref->type == RecordType::response && ref->id == response.id) {
    report.add(at, "ref", shown(*response.replay_of), "must be another response");
  }
}

/// Messages follow one another in the prompt.
void check_messages(Response const& response, Path const& root, Report& report) {
  if (!response.prompt_messages || response.prompt_blob) return;
  Path const list{root, "prompt_messages"};
  auto const size = static_cast<std::int64_t>(response.prompt ? code_points(*response.prompt) : 0);
  std::int64_t before = 0;
  for (std::size_t i = 0; i < response.prompt_messages->size(); ++i) {
    auto const& message = (*response.prompt_messages)[i];
    Path const item{list, i};
    if (report.has_within(item)) return;
    if (message.start < before || message.end < message.start || message.end > size) {
      return report.add(item, "message", shown(static_cast<double>(message.start)),
                        "must lie within the prompt, after the message before it");
    }
    before = message.end;
  }
}

/// Only what is marked as deleted or gone may lack it.
void require(Path const& at, Report& report) {
  if (!report.has(at)) report.add(at, "required", "", "is required");
}

/// The edges repeat the tree: one for each entry, in any order, of equal weight, all into the root.
void check_edges(LineageManifest const& manifest, Path const& root, Report& report) {
  Path const provenance{root, "provenance_tree"};
  Path const edges{provenance, "edges"};
  // Where a member is wrong in itself, what it disagrees with says nothing new.
  if (report.has_within(provenance) || report.has_within(Path{root, "context_tree"})) return;
  if (report.has(Path{root, "response_id"})) return;
  std::string const& response = manifest.response_id;
  if (manifest.provenance_tree.root != response) {
    report.add(Path{provenance, "root"}, "manifest_mismatch", shown(manifest.provenance_tree.root),
               "must be the response_id");
  }
  std::map<std::string_view, double> open;  // tree entries without an edge yet
  for (ManifestNode const& node : manifest.context_tree) open.emplace(node.id, node.weight);
  for (std::size_t i = 0; i < manifest.provenance_tree.edges.size(); ++i) {
    ManifestEdge const& edge = manifest.provenance_tree.edges[i];
    Path const at{edges, i};
    if (edge.to != response) report.add(Path{at, "to"}, "manifest_mismatch", shown(edge.to), "must be the response_id");
    auto const entry = open.find(edge.from);
    if (entry == open.end()) {
      report.add(Path{at, "from"}, "manifest_mismatch", shown(edge.from),
                 "must be an entry of the tree without another edge");
      continue;
    }
    if (entry->second != edge.weight) {
      report.add(Path{at, "weight"}, "manifest_mismatch", shown(edge.weight), "must equal the tree entry's");
    }
    open.erase(entry);
  }
  if (!open.empty()) {
    report.add(edges, "manifest_mismatch", shown(open.begin()->first), "each entry of the tree must have its edge");
  }
}

}  // namespace

void prepare(Response& response, CheckContext const& context) {
  for (ContextReference& use : response.context_units) {
    if (!use.ref || !use.context_unit_id.empty() || is_inline(use)) continue;
    if (auto const ref = parse_ref(*use.ref)) use = use_of(ref->type, ref->id, use.weight);
  }
  if (response.replay_of) {
    if (auto const ref = parse_ref(*response.replay_of)) response.replay_of = format_ref(*ref);
  }
  name_units(response, context);
  if (context.mode == Mode::strict) return;
  bool const has_sources = !response.context_units.empty() || (response.prompt_refs && !response.prompt_refs->empty());
  if (!has_sources) add_flag(response.flags, flag::no_units);
  if (response.context_units.size() > limits::context_units_max) add_flag(response.flags, flag::many_units);
  fill_weights(response);
  scale_weights(response);
}

void check_joined(ContextUnit const& unit, CheckContext const& /*context*/, Path const& root, Report& report) {
  Path const previous{root, "previous_version_id"};
  if (unit.version > 1 && !unit.previous_version_id && !report.has(Path{root, "version"})) {
    report.add(previous, "version_link", "", "a version above 1 must name the version before it");
  }
  if (unit.version == 1 && unit.previous_version_id && !report.has(Path{root, "version"})) {
    report.add(previous, "version_link", shown(*unit.previous_version_id), "version 1 has no version before it");
  }
  if (!unit.derived_from) return;
  Path const list{root, "derived_from"};
  check_distinct(
      *unit.derived_from, [](std::string const& id) -> std::string_view { return id; },
      [&](std::size_t i, std::string_view id) {
        report.add(Path{list, i}, "duplicate_source", shown(id), "a source may be named once");
      });
}

void check_joined(Response const& response, CheckContext const& context, Path const& root, Report& report) {
  Path const list{root, "context_units"};
  check_uses(response, context.mode, list, report);
  check_distinct(
      response.context_units, [](ContextReference const& use) -> std::string_view { return use.name(); },
      [&](std::size_t i, std::string_view id) {
        Path const item{list, i};
        report.add(Path{item, response.context_units[i].ref ? "ref" : "context_unit_id"}, "duplicate_unit", shown(id),
                   "a source may be used once");
      });
  check_weight_sum(response.context_units, list, report);
  check_hash(response.query_attachment, Path{root, "query_attachment"}, report);
  if (response.prompt_refs) check_prompt_refs(*response.prompt_refs, context.mode, Path{root, "prompt_refs"}, report);
  check_basis(response, root, report);
  check_replay(response, root, report);
  check_messages(response, root, report);
}

void prepare(FeedbackRecord& feedback, CheckContext const& /*context*/) {
  if (!feedback.ref || !feedback.response_id.empty()) return;
  auto const ref = parse_ref(*feedback.ref);
  if (!ref) return;
  if (ref->type == RecordType::response) {
    feedback.response_id = ref->id;
    feedback.ref.reset();
  } else {
    feedback.ref = format_ref(*ref);
  }
}

void check_joined(FeedbackRecord const& feedback, CheckContext const& context, Path const& root, Report& report) {
  Path const score{root, "score"};
  bool const is_missing = !feedback.score && context.mode != Mode::capture && !report.has(score);
  if (is_missing) report.add(score, "required", "", "a rating has a score");
  Path const by_ref{root, "ref"};
  Path const by_id{root, "response_id"};
  if (report.has(by_ref) || report.has(by_id)) return;
  if (!feedback.ref) {
    if (feedback.response_id.empty())
      report.add(by_id, "required", "", "name what is rated: a `response_id` or a `ref`");
    return;
  }
  auto const ref = parse_ref(*feedback.ref);
  if (!feedback.response_id.empty()) {
    report.add(by_ref, "ref", shown(*feedback.ref), "give either a `response_id` or a `ref`");
  } else if (!ref || ref->type != RecordType::answer) {
    report.add(by_ref, "ref", shown(*feedback.ref), "must be a ref of an Answer or a Response");
  }
}

void prepare(Decision& decision, CheckContext const& /*context*/) {
  if (!decision.subject) return;
  if (auto const ref = parse_ref(*decision.subject)) decision.subject = format_ref(*ref);
}

void check_joined(Decision const& decision, CheckContext const& context, Path const& root, Report& report) {
  Path const at{root, "subject"};
  if (report.has(at)) return;
  if (!decision.subject) {
    if (context.mode == Mode::strict) report.add(at, "required", "", "is required");
    return;
  }
  auto const ref = parse_ref(*decision.subject);
  if (!ref || !is_decidable(ref->type))
    report.add(at, "ref", shown(*decision.subject), "must be a ref of what people decide about, as an Answer is");
}

void prepare(Hold& hold, CheckContext const& /*context*/) {
  if (!hold.refs) return;
  for (auto& text : *hold.refs) {
    if (auto const ref = parse_ref(text)) text = format_ref(*ref);
  }
}

void check_joined(Hold const& hold, CheckContext const& /*context*/, Path const& root, Report& report) {
  Path const at{root, "refs"};
  if (report.has(at)) return;
  if (!hold.refs) {
    if (!hold.person && !hold.topic && !hold.query)
      report.add(at, "required", "", "name what is held: refs, a person or a topic");
    return;
  }
  for (std::size_t i = 0; i < hold.refs->size(); ++i) {
    if (!parse_ref((*hold.refs)[i])) report.add(Path{at, i}, "ref", shown((*hold.refs)[i]), "must be a ref");
  }
}

void check_joined(LineageManifest const& manifest, CheckContext const& /*context*/, Path const& root, Report& report) {
  Path const tree{root, "context_tree"};
  for (std::size_t i = 0; i < manifest.context_tree.size(); ++i) {
    Path const item{tree, i};
    auto const& node = manifest.context_tree[i];
    check_use_name(node.id, Path{item, "id"}, report);
    if (node.deleted.value_or(false) || node.expired.value_or(false)) continue;
    if (!node.type) require(Path{item, "type"}, report);
    if (node.source.empty()) require(Path{item, "source"}, report);
  }
  if (!manifest.expired.value_or(false)) {
    if (manifest.agent.empty()) require(Path{root, "agent"}, report);
    if (manifest.model.empty()) require(Path{root, "model"}, report);
  }
  check_distinct(
      manifest.context_tree, [](ManifestNode const& node) -> std::string_view { return node.id; },
      [&](std::size_t i, std::string_view id) {
        Path const item{tree, i};
        report.add(Path{item, "id"}, "duplicate_unit", shown(id), "a unit may be used once");
      });
  check_weight_sum(manifest.context_tree, tree, report);
  check_edges(manifest, root, report);
}

}  // namespace whence::schema
