#include "engine/validation/removal.hpp"

#include "graph/snapshot/discussion.hpp"
#include "graph/snapshot/unknown.hpp"
#include "schema/base/report.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace whence::engine {
namespace {

using schema::EdgeType;
using schema::RecordType;
using schema::VertexId;

/// The distinct vertices named; or every ref that names none.
Result<std::vector<VertexId>> resolve(std::span<schema::NodeRef const> refs, graph::Snapshot const& known) {
  std::vector<VertexId> found;
  std::vector<Violation> violations;
  for (std::uint32_t i = 0; i < refs.size(); ++i) {
    auto const vertex = known.find(refs[i].type, refs[i].id);
    if (vertex && std::ranges::find(found, *vertex) == found.end()) found.push_back(*vertex);
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
  [[nodiscard]] bool is_hidden(VertexId vertex) const {
    return std::ranges::find(plan_.hidden, vertex) != plan_.hidden.end();
  }

  /// `cause` is the place of the named vertex that `whole` is deleted with.
  void add_parts(VertexId whole, std::size_t cause) {
    auto const type = known_.type(whole);
    bool const is_answer = type == RecordType::answer;  // feedback is all that goes with it
    if (!schema::info(type).deletes_parts && !is_answer) return;
    for (auto const part : parts_of(known_, whole, [&](VertexId v) { return !is_hidden(v); })) {
      parts_.push_back({cause, ref(part), part});
      plan_.hidden.push_back(part);
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
      auto& dangling = plan_.removal.dangling;
      auto text = ref(vertex);
      if (std::ranges::find(dangling, text) == dangling.end()) dangling.push_back(std::move(text));
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
  std::vector<std::size_t> causes_;  // for each of `plan_.hidden`, while that grows
  std::vector<Part> parts_;
};

/// The responses that use the unit and stay.
std::vector<VertexId> users_of(graph::Snapshot const& known, VertexId unit, std::vector<VertexId> const& deleted) {
  std::vector<VertexId> users;
  auto const effects = known.effects(unit);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (known.type(effects.edges[i]) != EdgeType::used_in) continue;
    if (std::ranges::find(deleted, effects.vertices[i]) == deleted.end()) users.push_back(effects.vertices[i]);
  }
  return users;
}

/// "is used by 12 responses: Response:a, Response:b, Response:c, ..."
std::string told(graph::Snapshot const& known, std::span<VertexId const> users) {
  constexpr std::size_t shown_max = 3;
  std::string text = "is used by " + std::to_string(users.size()) + (users.size() == 1 ? " response" : " responses");
  for (std::size_t i = 0; i < users.size() && i < shown_max; ++i) {
    text.append(i == 0 ? ": " : ", ").append(schema::format_ref(known.type(users[i]), known.id(users[i])));
  }
  return text.append(users.size() > shown_max ? ", ..." : "");
}

/// A unit that responses use is not deleted: they would be answers made from nothing.
Result<void> check_users(std::span<schema::NodeRef const> refs, std::vector<VertexId> const& deleted,
                         graph::Snapshot const& known) {
  std::vector<Violation> violations;
  for (std::uint32_t i = 0; i < refs.size(); ++i) {
    if (refs[i].type != RecordType::context_unit) continue;
    auto const unit = known.find(refs[i].type, refs[i].id);
    auto const users = unit ? users_of(known, *unit, deleted) : std::vector<VertexId>{};
    if (users.empty()) continue;
    violations.push_back({.code = Errc::precondition,
                          .rule = "in_use",
                          .path = "/refs/" + std::to_string(i),
                          .index = i,
                          .seen = schema::shown(schema::format_ref(refs[i])),
                          .message = told(known, users) + "; `force` deletes it all the same"});
  }
  return violations.empty() ? Result<void>{} : error_from(std::move(violations));
}

}  // namespace

Result<Plan> validate_removal(std::span<schema::NodeRef const> refs, bool force, graph::Snapshot const& known) {
  auto named = resolve(refs, known);
  if (!named) return named.error();
  auto plan = RemovalPlan(known).make(std::move(*named));
  if (force) return plan;
  if (auto const checked = check_users(refs, plan.hidden, known); !checked) return checked.error();
  return plan;
}

}  // namespace whence::engine
