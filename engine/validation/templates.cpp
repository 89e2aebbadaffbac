// That one becomes active or inactive shows in the kinds of the revisions alone.

#include "engine/validation/templates.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>

namespace whence::engine {
namespace {

using schema::RecordType;
using schema::SystemPromptTemplate;
using schema::VertexId;
using Versions = std::set<std::int64_t>;

/// A template that becomes active.
struct Active {
  Candidate const* candidate;
  std::int64_t versions_end;  ///< above all versions that may have been active until then
};

SystemPromptTemplate const* active_in(Candidate const& candidate) {
  auto const* made = candidate.record == nullptr ? nullptr : std::get_if<SystemPromptTemplate>(candidate.record);
  return made != nullptr && made->active.value_or(true) ? made : nullptr;
}

std::optional<std::int64_t> below(Versions const& versions, std::int64_t end) {
  auto const at = versions.lower_bound(end);
  if (at == versions.begin()) return std::nullopt;
  return *std::prev(at);
}

class TemplatePlan {
 public:
  TemplatePlan(Candidates const& candidates, schema::EpochMs now, Contents& contents, TemplateIndex& templates,
               Index::Source const& source, Plan& plan)
      : candidates_(candidates), now_(now), contents_(contents), templates_(templates), source_(source), plan_(plan) {
    for (std::size_t i = 0; i < candidates.new_count(); ++i) {
      auto const* made = std::get_if<SystemPromptTemplate>(candidates.nth_new(i).record);
      if (made != nullptr) new_versions_[made->model_id].insert(made->version);
    }
  }

  /// Activations come before all that becomes inactive: a restored history has the events with records first.
  Result<void> make(std::vector<Candidate const*> const& activated) {
    std::vector<Active> all;
    activate(activated, all);
    for (std::size_t i = 0; i < candidates_.new_count(); ++i) {
      auto const& candidate = candidates_.nth_new(i);
      if (auto const* made = active_in(candidate)) all.push_back({&candidate, made->version});
    }
    std::ranges::stable_sort(all, {}, [](Active const& each) { return each.candidate->index; });
    for (auto const& each : all) {
      if (auto const planned = make_inactive(each); !planned) return planned.error();
    }
    return {};
  }

 private:
  /// Of the templates of a model that a batch has as active, the last counts.
  void activate(std::vector<Candidate const*> const& activated, std::vector<Active>& all) {
    if (activated.empty()) return;
    std::unordered_map<std::string, std::uint32_t> last;  // by model, the record
    for (auto const& each : candidates_.all()) {
      if (auto const* made = active_in(each)) last[made->model_id] = std::max(last[made->model_id], each.index);
    }
    for (auto const* candidate : activated) {
      auto whole = std::get<SystemPromptTemplate>(*candidate->record);
      if (last[whole.model_id] > candidate->index) continue;
      whole.updated_at = whole.updated_at.value_or(now_);
      bool const was_gone = candidates_.known().gone(candidate->vertex).has_value();
      auto const kind = was_gone ? schema::RevisionKind::addition : schema::RevisionKind::update;
      revise(candidate->vertex, whole, kind, candidate->index);
      again_.insert(schema::number(candidate->vertex));
      all.push_back({candidate, std::numeric_limits<std::int64_t>::max()});
    }
  }

  /// Makes the one inactive that was active before `made`; usually it is one of the last.
  Result<void> make_inactive(Active const& made) {
    auto const& model = std::get<SystemPromptTemplate>(*made.candidate->record).model_id;
    auto const known = templates_.versions_of(model, source_);
    if (!known) return known.error();
    auto const& fresh = new_versions_[model];
    auto const next = [&](std::int64_t end) { return std::max(below(**known, end), below(fresh, end)); };
    for (auto version = next(made.versions_end); version; version = next(*version)) {
      auto const vertex = find(model, *version);
      if (!vertex || again_.contains(schema::number(*vertex))) continue;
      auto const found = template_at(*vertex);
      if (!found) return found.error();
      if (*found == nullptr) continue;  // nothing says any more that it is active
      if (!(*found)->active.value_or(true)) continue;
      auto whole = **found;
      whole.active = false;
      whole.updated_at = now_;
      revise(*vertex, whole, schema::RevisionKind::whole, made.candidate->index);
      break;
    }
    return {};
  }

  [[nodiscard]] std::optional<VertexId> find(std::string const& model, std::int64_t version) const {
    return candidates_.find(RecordType::system_prompt_template, schema::template_id(model, version));
  }

  /// After the batch's own revisions; null where it is gone.
  Result<SystemPromptTemplate const*> template_at(VertexId vertex) {
    if (auto const* revision = plan_.revision_of(vertex)) return &std::get<SystemPromptTemplate>(revision->whole);
    if (auto const* proposed = candidates_.proposed(vertex)) return &std::get<SystemPromptTemplate>(*proposed->record);
    auto const record = contents_.fetch_one(vertex);
    if (!record) return record.error();
    return *record == nullptr ? nullptr : &std::get<SystemPromptTemplate>(**record);
  }

  /// A change by the record `index` of the batch. Becoming active is an `update`, becoming inactive is `whole`: events
  /// are made from rows, which show no more.
  void revise(VertexId vertex, SystemPromptTemplate const& whole, schema::RevisionKind kind, std::uint32_t index) {
    plan_.revise({.row = {.vertex = vertex,
                          .type = RecordType::system_prompt_template,
                          .revision = 0,
                          .kind = kind,
                          .rows_before = candidates_.rows_up_to(index)},
                  .content = whole,
                  .whole = whole},
                 candidates_.known());
  }

  Candidates const& candidates_;
  schema::EpochMs now_;
  Contents& contents_;
  TemplateIndex& templates_;
  Index::Source source_;
  Plan& plan_;
  std::map<std::string, Versions> new_versions_ = {};  // of the batch, by model
  std::set<std::uint32_t> again_ = {};                 // numbers of those that become active and were there before
};

}  // namespace

Result<void> plan_templates(Candidates const& candidates, std::vector<Candidate const*> const& activated,
                            schema::EpochMs now, Contents& contents, TemplateIndex& templates,
                            Index::Source const& source, Plan& plan) {
  return TemplatePlan(candidates, now, contents, templates, source, plan).make(activated);
}

}  // namespace whence::engine
