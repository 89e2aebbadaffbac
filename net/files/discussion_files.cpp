#include "net/files/discussion_files.hpp"

#include "net/base/engine_view.hpp"
#include "queries/discussion/earlier.hpp"
#include "queries/discussion/load.hpp"
#include "queries/discussion/text.hpp"
#include "schema/wire/discussion_file.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace whence::net {
namespace {

using schema::DiscussionState;

/// Where and why a file cannot be read.
std::string reason_of(Error const& error) {
  auto const place = error.violations.empty() ? std::string{} : error.violations.front().path;
  return "the JSON file cannot be read" + (place.empty() ? place : " at " + place) + ": " + error.message;
}

/// The first round that somebody removed in the file: it was written when the store was as it is, which its count and
/// its time of change say, with all rounds. A file that is behind has another count.
std::int64_t const* find_removed(schema::json::DiscussionFile const& file, DiscussionState const& store,
                                 schema::TokenRules const& rules) {
  if (file.state.discussion.updated_at != store.updated_at()) return nullptr;
  auto const missing = std::ranges::find_if(store.rounds, [&](schema::DiscussionRound const& each) {
    return std::ranges::find(file.state.rounds, each.round_number, &schema::DiscussionRound::round_number) ==
           file.state.rounds.end();
  });
  if (missing == store.rounds.end() || file.token_count != store.tokens(rules).total()) return nullptr;
  return &missing->round_number;
}

std::string removal_of(std::int64_t round) {
  return "somebody removed round " + std::to_string(round) + " in the JSON file";
}

/// Of a discussion that is not in the store: its files lose what was purged, and are left as they are otherwise.
Following following_unknown(queries::View const& view, store::PairName const& name, store::FoundPair texts,
                            schema::CheckContext const& context) {
  if (!texts.json) return {};
  auto found = parse_found(view, std::move(texts), name, context, nullptr);
  if (!*found.json) return {};
  Following following{.step = FollowStep::write, .state = std::move(found.json->value().state)};
  if (queries::leave_out_gone(view, nullptr, following.state)) return following;
  auto const key = schema::discussion_key(name.folder, name.name);
  if (!view.snapshot.find_deleted(schema::RecordType::discussion, key)) return {};
  return {.step = FollowStep::keep, .reason = "the discussion is deleted, its files are not"};
}

}  // namespace

store::PairTexts texts_of(DiscussionState const& state, schema::TokenRules const& rules) {
  return {.json = schema::json::discussion_file_text(state, rules), .markdown = queries::markdown_text(state, rules)};
}

queries::FoundDiscussion parse_found(queries::View const& view, store::FoundPair&& texts, store::PairName const& name,
                                     schema::CheckContext const& context, DiscussionState const* stored) {
  using schema::json::FileReading;
  queries::FoundDiscussion found;
  if (texts.json) {
    schema::json::DiscussionName const ids{.user_id = name.folder,
                                           .discussion_id = name.name,
                                           .missing = queries::gone_rounds(view, name.folder, name.name)};
    auto file = schema::json::parse_discussion_file(*texts.json, context, ids, FileReading::keeping);
    bool const is_known = !file || stored == nullptr || schema::json::has_kept_members(*stored, *file);
    found.json = is_known ? std::move(file) : schema::json::parse_discussion_file(*texts.json, context, ids);
  }
  found.markdown = std::move(texts.markdown);
  return found;
}

Result<Following> following_of(queries::View const& view, store::PairName const& name, store::FoundPair texts,
                               schema::CheckContext const& context) {
  auto loaded = queries::load_discussion(view, name.folder, name.name);
  if (!loaded && loaded.error().code == Errc::not_found)
    return following_unknown(view, name, std::move(texts), context);
  if (!loaded) return loaded.error();
  Following following{.step = FollowStep::write, .state = queries::without_open_round(std::move(*loaded))};
  auto const& state = following.state;
  if (!texts.json) {
    bool const is_empty = state.rounds.empty() && state.summaries.empty() && !texts.markdown;
    if (is_empty) following.step = FollowStep::nothing;
    return following;
  }
  auto found = parse_found(view, std::move(texts), name, context, &state);
  if (!*found.json) {
    following.step = FollowStep::keep;
    following.reason = reason_of(found.json->error());
    return following;
  }
  auto& file = found.json->value().state;
  auto const has_gone = queries::leave_out_gone(view, &state.discussion, file);
  if (auto const* const round = find_removed(found.json->value(), state, view.token_rules)) {
    following.step = FollowStep::keep;
    following.reason = removal_of(*round);
    return following;
  }
  if (!queries::standing_of(file, state, {}).is_edited()) return following;
  auto const earlier = queries::load_earlier(view, file, state);
  if (!earlier) return earlier.error();
  auto const standing = queries::standing_of(file, state, *earlier);
  if (!standing.is_edited()) return following;
  following.step = has_gone ? FollowStep::reduce : FollowStep::keep;
  following.reason = "somebody edited the JSON file at " + standing.edits.front().path;
  if (has_gone) following.state = std::move(file);
  return following;
}

std::vector<Violation> check_file(engine::Engine& engine, schema::Clock const& clock, DiscussionState const& state,
                                  FileCheck const& check) {
  auto const complete = queries::without_open_round(state);
  if (complete.rounds.empty()) return {};
  auto const warn = [](std::string_view rule, std::string path, std::string message) {
    return std::vector<Violation>{{.rule = std::string(rule), .path = std::move(path), .message = std::move(message)}};
  };
  auto const warn_of_count = [&](std::string_view rule, std::string message) {
    return check.validates ? warn(rule, "/tokenCount", std::move(message)) : std::vector<Violation>{};
  };
  store::PairName const name{.folder = state.discussion.user_id, .name = state.discussion.discussion_id};
  auto texts = engine.files()->read(name);
  if (!texts) return warn_of_count("unreadable", texts.error().message);
  if (!texts->json) return warn_of_count("missing_file", "the discussion has no JSON file");
  auto const& config = engine.config();
  // As it was written: there is nothing to read or compare.
  if (*texts->json == schema::json::discussion_file_text(complete, config.token_rules)) return {};
  auto const latest = schema::plus_seconds(clock.now(), config.future_tolerance_s);
  auto const view = view_of(engine, engine.snapshot());
  auto found = parse_found(view, std::move(*texts), name, {.latest_time = latest}, &complete);
  if (!*found.json) return warn_of_count("unreadable", reason_of(found.json->error()));
  auto& file = found.json->value();
  auto shown = file.state;
  (void)queries::leave_out_gone(view, &complete.discussion, shown);
  if (auto const* const round = find_removed(file, complete, config.token_rules)) {
    return warn("edited", "/rounds", removal_of(*round) + ": discussion.reconcile takes it over");
  }
  if (queries::standing_of(shown, complete, {}).is_edited()) {
    auto const earlier = queries::load_earlier(view, shown, complete);
    if (!earlier) return warn_of_count("unreadable", earlier.error().message);
    auto const standing = queries::standing_of(shown, complete, *earlier);
    if (standing.is_edited()) {
      return warn("edited", standing.edits.front().path,
                  "the JSON file was edited and the store says something else: discussion.reconcile takes it over");
    }
  }
  auto const in_file = file.token_count;
  auto const computed = complete.tokens(config.token_rules).total();
  if (in_file == computed) return {};
  bool const is_small = in_file && queries::is_small(*in_file, queries::computed_tokens(file, config.token_rules));
  if (check.repairs && is_small) {
    auto const written = engine.files()->write(
        name, [&]() -> Result<store::PairTexts> { return texts_of(file.state, config.token_rules); });
    if (written) return {};
  }
  auto const said = in_file ? "says " + std::to_string(*in_file) : std::string("has no token count");
  return warn_of_count("token_count", "the JSON file " + said + ", computed are " + std::to_string(computed));
}

}  // namespace whence::net
