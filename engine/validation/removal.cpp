// From refs to the plan of a deletion. Parts are deleted with their whole; records that lose their topic or their
// source stay and are only named in the answer. Unknown refs, holds and use by others refuse all of it, the last unless
// it is forced.

#include "engine/validation/removal.hpp"

#include "graph/removal/holds.hpp"
#include "graph/snapshot/discussion.hpp"
#include "graph/snapshot/unknown.hpp"
#include "schema/base/report.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace whence::engine {
namespace {

using schema::EdgeType;
using schema::RecordType;
using schema::VertexId;

/// A set, since each vertex on the way is looked up in it.
class Vertices {
 public:
  Vertices() = default;
  explicit Vertices(std::span<VertexId const> all) {
    for (auto const each : all) insert(each);
  }
  /// Whether it was not there before.
  bool insert(VertexId vertex) { return numbers_.insert(schema::number(vertex)).second; }
  [[nodiscard]] bool contains(VertexId vertex) const { return numbers_.contains(schema::number(vertex)); }

 private:
  std::unordered_set<std::uint32_t> numbers_;
};

/// The distinct vertices named; or every ref that names none.
Result<std::vector<VertexId>> resolve(std::span<schema::NodeRef const> refs, graph::Snapshot const& known) {
  std::vector<VertexId> found;
  Vertices seen;
  std::vector<Violation> violations;
  for (std::uint32_t i = 0; i < refs.size(); ++i) {
    auto const vertex = known.find(refs[i].type, refs[i].id);
    if (vertex && seen.insert(*vertex)) found.push_back(*vertex);
    if (vertex) continue;
    violations.push_back(graph::unknown_ref(known, refs[i], "/refs/" + std::to_string(i)));
    violations.back().index = i;
  }
  if (!violations.empty()) return error_from(std::move(violations));
  return found;
}

/// The parts of `whole`, and feedback on it. A document is also the cause of its chunks; summaries are part of their
/// discussion although no edge leads to it.
template <class Keep>
std::vector<VertexId> parts_of(graph::Snapshot const& known, VertexId whole, Keep const& keep) {
  std::vector<VertexId> parts;
  for (auto const& neighbours : {known.relations_to(whole), known.effects(whole)}) {
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      auto const type = known.type(neighbours.edges[i]);
      bool const is_part = type == EdgeType::part_of || type == EdgeType::evaluates;
      if (is_part && keep(neighbours.vertices[i])) parts.push_back(neighbours.vertices[i]);
    }
  }
  if (known.type(whole) != RecordType::discussion) return parts;
  for (auto const& summary : graph::summaries_of(known, whole)) {
    if (keep(summary.vertex)) parts.push_back(summary.vertex);
  }
  return parts;
}

class RemovalPlan {
 public:
  explicit RemovalPlan(graph::Snapshot const& known) : known_(known) {}

  Plan make(std::vector<VertexId> named) {
    plan_.hidden = std::move(named);
    for (auto const vertex : plan_.hidden) hidden_.insert(vertex);
    auto const named_count = plan_.hidden.size();
    for (std::size_t i = 0; i < named_count; ++i) causes_.push_back(i);
    // Grows while it is walked: parts may have parts.
    for (std::size_t i = 0; i < plan_.hidden.size(); ++i) add_parts(plan_.hidden[i], causes_[i]);
    for (auto const vertex : plan_.hidden) plan_.removal.deleted.push_back(ref(vertex));
    for (auto const vertex : plan_.hidden) note_consequences(vertex);
    order(named_count);
    return std::move(plan_);
  }

 private:
  [[nodiscard]] std::string ref(VertexId vertex) const {
    return schema::format_ref(known_.type(vertex), known_.id(vertex));
  }
  [[nodiscard]] bool is_hidden(VertexId vertex) const { return hidden_.contains(vertex); }

  /// `cause` is the place of the named vertex that `whole` is deleted with.
  void add_parts(VertexId whole, std::size_t cause) {
    auto const type = known_.type(whole);
    bool const is_answer = type == RecordType::answer;  // feedback is all that goes with it
    if (!schema::info(type).deletes_parts && !is_answer) return;
    for (auto const part : parts_of(known_, whole, [&](VertexId v) { return !is_hidden(v); })) {
      parts_.push_back({cause, ref(part), part});
      plan_.hidden.push_back(part);
      hidden_.insert(part);
      causes_.push_back(cause);
    }
  }

  /// In the log, the nodes deleted with a named vertex come right after it, in byte order of ref.
  void order(std::size_t named_count) {
    std::ranges::sort(parts_);
    std::vector<VertexId> ordered;
    auto part = parts_.begin();
    for (std::size_t i = 0; i < named_count; ++i) {
      ordered.push_back(plan_.hidden[i]);
      for (; part != parts_.end() && part->cause == i; ++part) ordered.push_back(part->vertex);
    }
    plan_.hidden = std::move(ordered);
  }

  void note_consequences(VertexId vertex) {
    auto const type = known_.type(vertex);
    if (type == RecordType::topic) note_orphans(vertex);
    if (type == RecordType::xml_message_attachment) note_dangling(vertex);
  }

  void note_orphans(VertexId topic) {
    auto const is_left = [&](VertexId v) { return !is_hidden(v); };
    for (auto const message : parts_of(known_, topic, is_left)) {
      // Subjects are parts of a topic too, with parts of their own that the topic does not hold together.
      if (known_.type(message) != RecordType::message) continue;
      for (auto const attachment : parts_of(known_, message, is_left)) {
        plan_.removal.orphaned.push_back(ref(attachment));
      }
    }
  }

  void note_dangling(VertexId attachment) {
    auto const effects = known_.effects(attachment);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      auto const vertex = effects.vertices[i];
      if (known_.type(effects.edges[i]) != EdgeType::extracted_from || is_hidden(vertex)) continue;
      if (dangling_.insert(vertex)) plan_.removal.dangling.push_back(ref(vertex));
    }
  }

  /// A vertex that is deleted with a named one.
  struct Part {
    std::size_t cause;
    std::string ref;
    VertexId vertex;
    friend auto operator<=>(Part const&, Part const&) = default;
  };

  graph::Snapshot const& known_;
  Plan plan_;
  Vertices hidden_;                  // those of `plan_.hidden`
  Vertices dangling_;                // those of `plan_.removal.dangling`
  std::vector<std::size_t> causes_;  // for each of `plan_.hidden`, while that grows
  std::vector<Part> parts_;
};

/// The responses that use the unit and stay.
std::vector<VertexId> users_of(graph::Snapshot const& known, VertexId unit, Vertices const& deleted) {
  std::vector<VertexId> users;
  auto const effects = known.effects(unit);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (known.type(effects.edges[i]) != EdgeType::used_in) continue;
    if (!deleted.contains(effects.vertices[i])) users.push_back(effects.vertices[i]);
  }
  return users;
}

/// "is used by 12 responses: Response:a, Response:b, Response:c, ..."
std::string text_of_users(graph::Snapshot const& known, std::span<VertexId const> users) {
  constexpr std::size_t shown_max = 3;
  std::string text = "is used by " + std::to_string(users.size()) + (users.size() == 1 ? " response" : " responses");
  for (std::size_t i = 0; i < users.size() && i < shown_max; ++i) {
    text.append(i == 0 ? ": " : ", ").append(schema::format_ref(known.type(users[i]), known.id(users[i])));
  }
  return text.append(users.size() > shown_max ? ", ..." : "");
}

/// The version that names `vertex` as the one it replaces, and stays.
std::optional<VertexId> find_successor(graph::Snapshot const& known, VertexId vertex, Vertices const& deleted) {
  auto const effects = known.effects(vertex);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    auto const effect = effects.vertices[i];
    bool const is_version = schema::carried_by(known.type(effects.edges[i])) == schema::Carries::version &&
                            known.value(effects.edges[i]).has_value();
    if (is_version && !deleted.contains(effect)) return effect;
  }
  return std::nullopt;
}

/// What still needs a node; empty where nothing does.
std::string needed_by(graph::Snapshot const& known, VertexId vertex, Vertices const& deleted) {
  std::string text;
  if (known.type(vertex) == RecordType::context_unit) {
    auto const users = users_of(known, vertex, deleted);
    if (!users.empty()) text = text_of_users(known, users);
  }
  if (auto const successor = find_successor(known, vertex, deleted)) {
    text.append(text.empty() ? "is replaced by " : ", and is replaced by ");
    text.append(schema::format_ref(known.type(*successor), known.id(*successor)));
  }
  return text;
}

/// A unit that responses use is not deleted: they would be answers made from nothing. Nor is a version that a later
/// one names: their line would have a gap.
Result<void> check_needed(std::span<schema::NodeRef const> refs, Vertices const& deleted,
                          graph::Snapshot const& known) {
  std::vector<Violation> violations;
  for (std::uint32_t i = 0; i < refs.size(); ++i) {
    auto const vertex = known.find(refs[i].type, refs[i].id);
    auto const needed = vertex ? needed_by(known, *vertex, deleted) : std::string{};
    if (needed.empty()) continue;
    violations.push_back({.code = Errc::precondition,
                          .rule = "in_use",
                          .path = "/refs/" + std::to_string(i),
                          .index = i,
                          .seen = schema::shown(schema::format_ref(refs[i])),
                          .message = needed + "; `force` deletes it all the same"});
  }
  return violations.empty() ? Result<void>{} : error_from(std::move(violations));
}

bool is_active(graph::Snapshot const& known, VertexId vertex, schema::Record const* record) {
  if (record != nullptr) return std::get<schema::SystemPromptTemplate>(*record).active.value_or(true);
  auto const revisions = known.revisions(vertex);  // its content is gone: becoming inactive was a whole one
  return revisions.empty() || revisions.back().kind != schema::RevisionKind::whole;
}

/// The nearest version before a template that was active once and stays. One that never was is a draft, and no deletion
/// makes it the prompt of a model; one that is gone cannot say anything.
std::optional<VertexId> find_active_before(VertexId vertex, RemovalContext const& context, Vertices const& hidden) {
  auto const& known = context.known;
  schema::Record blank = schema::SystemPromptTemplate{};
  schema::set_node_id(blank, known.id(vertex));
  auto const& named = std::get<schema::SystemPromptTemplate>(blank);
  for (auto version = named.version - 1; version > 0; --version) {
    auto const id = schema::join_key({named.model_id, std::to_string(version)});
    auto const before = known.find(RecordType::system_prompt_template, id);
    if (!before && !known.find_deleted(RecordType::system_prompt_template, id)) return std::nullopt;
    if (!before || hidden.contains(*before)) continue;
    if (!known.gone(*before) && !known.revisions(*before).empty()) return before;
  }
  return std::nullopt;
}

/// Where the active template of a model is deleted, the one before it is active again.
Result<void> activate_templates(RemovalContext const& context, Plan& plan) {
  Vertices const hidden{plan.hidden};
  for (auto const vertex : plan.hidden) {
    if (context.known.type(vertex) != RecordType::system_prompt_template) continue;
    auto const record = context.contents.fetch_one(vertex);
    if (!record) return record.error();
    if (!is_active(context.known, vertex, *record)) continue;
    auto const before = find_active_before(vertex, context, hidden);
    if (!before || plan.revision_of(*before) != nullptr) continue;
    auto const found = context.contents.fetch_one(*before);
    if (!found) return found.error();
    if (*found == nullptr) continue;
    auto whole = std::get<schema::SystemPromptTemplate>(**found);
    whole.active = true;
    whole.updated_at = context.now;
    plan.revise({.row = {.vertex = *before,
                         .type = RecordType::system_prompt_template,
                         .revision = 0,
                         .kind = schema::RevisionKind::update},
                 .content = whole,
                 .whole = whole},
                context.known);
  }
  return {};
}

}  // namespace

Result<Plan> validate_removal(std::span<schema::NodeRef const> refs, bool force, RemovalContext const& context) {
  auto named = resolve(refs, context.hides_purged_texts ? context.known.hiding_purged_texts() : context.known);
  if (!named) return named.error();
  auto plan = RemovalPlan(context.known).make(std::move(*named));
  auto const holds = graph::Holds::make(context.known, context.contents.reading(), context.keeping);
  if (!holds) return holds.error();
  if (auto const free = holds->check_free(plan.hidden, "/refs"); !free) return free.error();
  if (!force) {
    if (auto const checked = check_needed(refs, Vertices{plan.hidden}, context.known); !checked) return checked.error();
  }
  if (auto const activated = activate_templates(context, plan); !activated) return activated.error();
  return plan;
}

}  // namespace whence::engine
