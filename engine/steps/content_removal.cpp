// Plans a purge or an expiry: from what is named (refs, a person, old records) to the vertices whose contents go, the
// answers that lose excerpts, the proposals that named any of them, and the blobs that nothing else names. A hold
// refuses a purge as a whole, while expiry leaves out what is held.

#include "engine/steps/content_removal.hpp"

#include "engine/steps/four_eyes.hpp"
#include "graph/removal/copies.hpp"
#include "graph/removal/holds.hpp"
#include "graph/removal/log_records.hpp"
#include "graph/removal/of_person.hpp"
#include "graph/snapshot/records.hpp"
#include "graph/snapshot/unknown.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/retrieval/citation.hpp"
#include "schema/stored/blobs.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whence::engine {
namespace {

using graph::GoneWhy;
using graph::Snapshot;
using schema::EdgeType;
using schema::RecordType;
using schema::VertexId;

graph::ReadRecord reading(RemovalSource const& source) {
  return [&source](VertexId vertex) -> Result<std::optional<schema::Record>> {
    std::optional<schema::Record> found;
    auto const read =
        graph::read_those_there(source.known, source.store, {&vertex, 1}, [&](std::size_t, schema::Record&& record) {
          found = std::move(record);
          return true;
        });
    if (!read) return read.error();
    return found;
  };
}

/// Adds what goes with what `step` names to `named`, of a person all that there is; what stays is said in `plan`.
Result<void> add_unnamed(ContentRemoval const& step, Snapshot const& known, graph::ReadRecord const& read,
                         std::vector<VertexId>& named, Plan& plan) {
  if (step.person.empty()) return step.is_purge ? graph::add_log_records(known, read, named) : Result<void>{};
  auto const theirs = graph::find_of_person(known, step.person, read);
  if (!theirs) return theirs.error();
  if (theirs->own.empty()) return error_from(graph::unknown_ref(known, {RecordType::person, step.person}, "/person"));
  named.insert(named.end(), theirs->own.begin(), theirs->own.end());
  for (auto const vertex : theirs->shared)
    plan.removal.shared.push_back(schema::format_ref(known.type(vertex), known.id(vertex)));
  return {};
}

/// Every vertex that is or was named, deleted ones too: what they said is still stored.
Result<std::vector<VertexId>> resolve_ever(std::vector<schema::NodeRef> const& refs, Snapshot const& known) {
  std::vector<VertexId> found;
  std::vector<Violation> violations;
  for (std::uint32_t i = 0; i < refs.size(); ++i) {
    auto const named = known.find_all_ever(refs[i].type, refs[i].id);
    found.insert(found.end(), named.begin(), named.end());
    if (!named.empty()) continue;
    violations.push_back(graph::unknown_ref(known, refs[i], "/refs/" + std::to_string(i)));
    violations.back().index = i;
  }
  if (!violations.empty()) return error_from(std::move(violations));
  return found;
}

/// What expires, without what was revised or named since it was found to be old.
std::vector<VertexId> still_old(ContentRemoval const& step, Snapshot const& known) {
  auto const then = known.as_of(step.found_at);
  std::vector<VertexId> old;
  std::ranges::copy_if(step.old, std::back_inserter(old), [&](VertexId vertex) {
    return then.contains(vertex) && known.contents_count(vertex) == then.contents_count(vertex) &&
           known.effects_ever(vertex).size() == then.effects_ever(vertex).size() &&
           known.relations_to_ever(vertex).size() == then.relations_to_ever(vertex).size();
  });
  return old;
}

/// Takes what must stay out of what expires.
Result<void> leave_held(graph::Holds const& holds, std::vector<VertexId>& going) {
  std::vector<VertexId> free;
  for (auto const vertex : going) {
    auto const hold = holds.find(vertex);
    if (!hold) return hold.error();
    if (hold->empty()) free.push_back(vertex);
  }
  going = std::move(free);
  return {};
}

/// Whether all that a purge reaches may go.
Result<void> check_free(ContentRemoval const& step, graph::Holds const& holds, graph::Copies const& copies) {
  for (auto const& each : {copies.found(), copies.citing()}) {
    if (auto const free = holds.check_free(each, step.person.empty() ? "/refs" : "/person"); !free) return free;
  }
  return {};
}

/// The plan of nothing: what was purged before of `reached`, with a warning for which reason no more is.
Plan refused_plan(Plan plan, std::vector<VertexId> const& reached, Snapshot const& known, Error const& why) {
  plan.warnings = why.violations;
  for (auto& each : plan.warnings) each.message = each.seen + " " + each.message;
  for (auto const vertex : reached) {
    if (known.gone(vertex) == GoneWhy::purged)
      plan.removal.gone_before.push_back(schema::format_ref(known.type(vertex), known.id(vertex)));
  }
  return plan;
}

/// Revises answers so that they say nothing of chunks that go. What a deleted one says goes whole.
Result<void> take_excerpts(std::vector<VertexId> const& answers, graph::Copies const& copies,
                           RemovalSource const& source, Plan& plan) {
  auto const& known = source.known;
  return graph::read_those_there(known, source.store, answers, [&](std::size_t i, schema::Record&& record) {
    auto& answer = std::get<schema::Answer>(record);
    bool has_changed = false;
    for (auto& citation : answer.citations) {
      auto const chunk = citation.chunk_id ? known.find_all_ever(RecordType::retrieved_chunk, *citation.chunk_id)
                                           : std::vector<VertexId>{};
      bool const goes = std::ranges::any_of(chunk, [&](VertexId each) { return copies.contains(each); });
      if (!goes || citation.excerpt.empty()) continue;
      citation.excerpt.clear();
      schema::add_flag(citation.flags, schema::redacted_flag);
      has_changed = true;
    }
    if (!has_changed) return true;
    plan.gone.push_back(answers[i]);
    auto const ref = schema::format_ref(known.type(answers[i]), known.id(answers[i]));
    if (known.is_deleted(answers[i])) {  // nothing can revise it
      plan.removal.gone.push_back(ref);
      return true;
    }
    plan.removal.redacted.push_back(ref);
    plan.revise({.row = {.vertex = answers[i],
                         .type = RecordType::answer,
                         .revision = 0,
                         .kind = schema::RevisionKind::whole,
                         .edges = {}},
                 .content = record,
                 .whole = record},
                known);
    return true;
  });
}

/// Whether `proposal` names something that goes, or was purged before. There need not be a node of the person.
bool names_purged(PurgeProposal const& proposal, std::string_view person, Snapshot const& known,
                  graph::Copies const& copies) {
  auto const is_purged = [&](RecordType type, std::string_view id) {
    return std::ranges::any_of(known.find_all_ever(type, id), [&](VertexId vertex) {
      return copies.contains(vertex) || known.gone(vertex) == GoneWhy::purged;
    });
  };
  if (!proposal.person.empty() && proposal.person == person) return true;
  if (!proposal.person.empty() && is_purged(RecordType::person, proposal.person)) return true;
  return std::ranges::any_of(proposal.refs, [&](schema::NodeRef const& ref) { return is_purged(ref.type, ref.id); });
}

/// Proposals to purge what is purged now name it no more.
Result<void> take_proposals(ContentRemoval const& step, graph::Copies const& copies, RemovalSource const& source,
                            Plan& plan) {
  auto const& known = source.known;
  auto const all = source.proposals;
  return graph::read_those_there(known, source.store, all, [&](std::size_t i, schema::Record&& record) {
    if (all[i] == step.proposal || copies.contains(all[i])) return true;
    auto proposal = find_proposal_in(std::get<schema::ProvActivity>(record));
    if (proposal && names_purged(*proposal, step.person, known, copies))
      forget_named({all[i], *std::move(proposal)}, known, plan);
    return true;
  });
}

/// The blobs that the contents of `plan.gone` name, and those of them that nothing else names.
Result<void> release_blobs(RemovalSource const& source, Plan& plan) {
  std::vector<schema::ContentId> contents;
  for (auto const vertex : plan.gone) {
    contents.push_back({vertex, 0});
    for (auto const& revision : source.known.revisions(vertex)) contents.push_back({vertex, revision.number});
  }
  std::map<schema::Digest, std::uint32_t> named;
  auto read = source.store.read(contents, [&](std::size_t, schema::StoredContent&& content) {
    if (!content) return true;
    for (auto const& digest : schema::stored::blobs_of(*content)) {
      plan.released_blobs.push_back(digest);
      ++named[digest];
    }
    return true;
  });
  if (!read || named.empty()) return read;
  if (auto made = source.blobs.make(source.known, source.store); !made) return made;
  for (auto const& [digest, times] : named) {
    if (source.blobs.count(digest) <= times) plan.removed_blobs.push_back(digest);
  }
  return {};
}

}  // namespace

Result<Plan> plan_content_removal(ContentRemoval const& step, RemovalSource const& source) {
  auto const& known = source.known;
  auto const read = reading(source);
  auto named = resolve_ever(step.refs, known);
  if (!named) return named.error();
  named->insert(named->end(), step.nodes.begin(), step.nodes.end());
  Plan plan;
  plan.gone_why = step.is_purge ? GoneWhy::purged : GoneWhy::expired;
  if (auto const added = add_unnamed(step, known, read, *named, plan); !added) return added.error();
  auto const holds = graph::Holds::make(known, read, source.keeping);
  if (!holds) return holds.error();
  graph::Copies copies{known, step.cascades};
  if (step.is_purge) copies.find(*named);
  auto going = step.is_purge ? copies.found() : still_old(step, known);
  if (step.is_purge) {
    if (auto const free = check_free(step, *holds, copies); !free) {
      bool const is_answered = source.names_gone && !free.error().violations.empty();
      return is_answered ? refused_plan(std::move(plan), going, known, free.error()) : Result<Plan>{free.error()};
    }
  } else if (auto const left = leave_held(*holds, going); !left) {
    return left.error();
  }
  for (auto const vertex : going) {
    auto const before = known.gone(vertex);
    auto ref = schema::format_ref(known.type(vertex), known.id(vertex));
    if (before && (*before == GoneWhy::purged || !step.is_purge)) {
      plan.removal.gone_before.push_back(std::move(ref));
      continue;
    }
    plan.gone.push_back(vertex);
    plan.removal.gone.push_back(std::move(ref));
  }
  if (auto const taken = take_excerpts(copies.citing(), copies, source, plan); !taken) return taken.error();
  if (step.is_purge) {
    if (auto const taken = take_proposals(step, copies, source, plan); !taken) return taken.error();
  }
  if (auto const released = release_blobs(source, plan); !released) return released.error();
  plan.removal.blobs = plan.removed_blobs.size();
  return plan;
}

schema::ProvActivity erasure_of(Plan const& plan, Snapshot const& known, Erasing const& erasing) {
  std::map<std::string, std::uint64_t> counts;
  for (auto const vertex : plan.gone) {
    bool const is_redacted = plan.revision_of(vertex) != nullptr;
    ++counts["whence:" + std::string(is_redacted ? "redacted" : schema::name_of(known.type(vertex)))];
  }
  if (!erasing.proposed_by.empty()) ++counts["whence:redacted"];  // the proposal that is carried out
  auto const at = schema::format_rfc3339(erasing.at);
  std::string attributes;
  schema::json::Writer out(attributes);  // by sorted keys; names of types begin with capitals
  out.begin_object().member("prov:endTime", at).member("prov:startTime", at).member("prov:type", "whence:Erasure");
  auto const redacted = counts.extract("whence:redacted");
  for (auto const& [type, count] : counts) out.member(type, count);
  if (!erasing.who.empty()) out.member("whence:by", erasing.who);
  if (!erasing.proposed_by.empty()) out.member("whence:proposedBy", erasing.proposed_by);
  if (!erasing.reason.empty()) out.member("whence:reason", erasing.reason);
  if (!redacted.empty()) out.member("whence:redacted", redacted.mapped());
  out.end_object();
  schema::ProvActivity activity;
  activity.id = erasure_id(erasing.id);
  activity.qname = "whence:erasure:" + erasing.id;
  activity.attributes = schema::ProvAttributes{.json = std::move(attributes)};
  activity.prefixes = schema::PrefixMap{.entries = {{"whence", "urn:whence:"}}};
  return activity;
}

}  // namespace whence::engine
