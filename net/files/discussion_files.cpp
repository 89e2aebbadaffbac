// Decides whether a file follows the store. One that says what the server wrote, last or once, is written anew; one
// that somebody edited is kept, and the edit reported. How it was written is known by digests, after a start by the
// Markdown file beside it.

#include "net/files/discussion_files.hpp"

#include "net/base/engine_view.hpp"
#include "queries/discussion/earlier.hpp"
#include "queries/discussion/load.hpp"
#include "queries/discussion/text.hpp"
#include "schema/base/digest.hpp"
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

/// What somebody edited in a JSON file.
struct FileEdit {
  std::string path;  ///< JSON Pointer
  std::string what;  ///< a sentence without its end
};

/// Whether the JSON text is, byte for byte, what was written last.
bool is_as_written(store::FoundPair const& texts) {
  return texts.json && texts.written && schema::sha256(*texts.json) == texts.written->json;
}

/// `parts` are in the order of their numbers.
template <class T>
T const* find_part(std::vector<T> const& parts, std::int64_t number) {
  auto const found = std::ranges::lower_bound(parts, number, {}, &T::round_number);
  return found == parts.end() || found->round_number != number ? nullptr : &*found;
}

/// What a file says, with the store's values of what the server fills in where the file lacks them.
DiscussionState filled(DiscussionState file, DiscussionState const& store) {
  auto const fill = [](auto& value, auto const& stored) {
    if (!value) value = stored;
  };
  fill(file.discussion.created_at, store.discussion.created_at);
  fill(file.discussion.updated_at, store.discussion.updated_at);
  for (auto& summary : file.summaries) {
    auto const* const stored = find_part(store.summaries, summary.round_number);
    if (stored == nullptr) continue;
    fill(summary.created_at, stored->created_at);
    fill(summary.token_count_before, stored->token_count_before);
    fill(summary.token_count_after, stored->token_count_after);
  }
  return file;
}

/// Whether the file says what was written last, or once: it was only formatted anew, or somebody put an older pair in
/// its place. What was written last says so where it is known. Where it is not, as after a start, the Markdown file
/// does: it shows what the JSON file said when both were written.
bool says_as_written(schema::json::DiscussionFile const& file, std::optional<store::PairDigests> const& written,
                     std::optional<std::string> const& markdown, DiscussionState const& store,
                     schema::TokenRules const& rules) {
  if (written) {
    auto const text = schema::json::discussion_file_text(filled(file.state, store), rules);
    if (schema::sha256(text) == written->json) return true;
    if (!markdown || schema::sha256(*markdown) == written->markdown) return false;
  }
  if (markdown) return *markdown == queries::markdown_text(file.state, rules);
  // Without that file, what has the count and the time of the store was written when the store was as it is.
  return file.state.discussion.updated_at != store.updated_at() || file.token_count != store.tokens(rules).total();
}

/// What is missing or older in a file that nobody wrote so: the store has all that the file says, and more. Rounds
/// after the last of the file may be new.
FileEdit edit_of_lacking(DiscussionState const& file, DiscussionState const& store) {
  auto const removed = [](schema::DiscussionRound const& round) {
    return FileEdit{"/rounds", "somebody removed round " + std::to_string(round.round_number) + " in the JSON file"};
  };
  schema::DiscussionRound const* last = nullptr;
  for (auto const& round : store.rounds) {
    if (find_part(file.rounds, round.round_number) != nullptr) continue;
    if (!file.rounds.empty() && round.round_number < file.rounds.back().round_number) return removed(round);
    if (last == nullptr) last = &round;
  }
  for (std::size_t i = 0; i < file.rounds.size(); ++i) {
    auto const* const stored = find_part(store.rounds, file.rounds[i].round_number);
    if (stored == nullptr || *stored == file.rounds[i]) continue;
    auto const path = "/rounds/" + std::to_string(i);
    return {path, "somebody edited the JSON file at " + path};
  }
  for (auto const& summary : store.summaries) {
    if (find_part(file.summaries, summary.round_number) != nullptr) continue;
    return {"/summaries", "somebody removed the summary of the rounds up to " + std::to_string(summary.round_number) +
                              " in the JSON file"};
  }
  if (last != nullptr) return removed(*last);
  return {"", "somebody edited the JSON file"};
}

/// A file, and what is known of how it was written.
struct ReadFile {
  queries::FoundDiscussion& found;  ///< with a JSON file that can be read
  std::optional<store::PairDigests> written;
};

/// What somebody edited in a file, which loses what is gone; nothing where it is as it was written, now or once.
Result<std::optional<FileEdit>> find_edit(queries::View const& view, ReadFile read, DiscussionState const& store,
                                          bool& has_gone) {
  using Edit = std::optional<FileEdit>;
  auto& file = read.found.json->value();
  bool const is_written = says_as_written(file, read.written, read.found.markdown, store, view.token_rules);
  has_gone = queries::leave_out_gone(view, &store.discussion, file.state);
  auto standing = queries::standing_of(file.state, store, {});
  if (standing.is_edited()) {
    auto const earlier = queries::load_earlier(view, file.state, store);
    if (!earlier) return earlier.error();
    standing = queries::standing_of(file.state, store, *earlier);
  }
  if (standing.is_edited()) {
    auto const& path = standing.edits.front().path;
    return Edit{FileEdit{path, "somebody edited the JSON file at " + path}};
  }
  if (!standing.is_behind || is_written) return Edit{};
  return Edit{edit_of_lacking(file.state, store)};
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
                                           .missing = queries::missing_rounds(view, name.folder, name.name)};
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
  if (is_as_written(texts)) return following;
  auto const written = texts.written;
  auto found = parse_found(view, std::move(texts), name, context, &state);
  if (!*found.json) {
    following.step = FollowStep::keep;
    following.reason = reason_of(found.json->error());
    return following;
  }
  bool has_gone = false;
  auto edit = find_edit(view, {found, written}, state, has_gone);
  if (!edit) return edit.error();
  if (!*edit) return following;
  following.step = has_gone ? FollowStep::reduce : FollowStep::keep;
  following.reason = std::move((*edit)->what);
  if (has_gone) following.state = std::move(found.json->value().state);
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
  if (*texts->json == schema::json::discussion_file_text(complete, config.token_rules)) {
    if (!texts->written) engine.files()->recognize(name, *texts);
    return {};
  }
  if (!check.validates && is_as_written(*texts)) return {};
  auto const latest = schema::plus_seconds(clock.now(), config.future_tolerance_s);
  auto const view = view_of(engine, engine.snapshot());
  bool const is_untouched = is_as_written(*texts);
  auto const written = texts->written;
  auto found = parse_found(view, std::move(*texts), name, {.latest_time = latest}, &complete);
  if (!*found.json) {
    auto const& error = found.json->error();
    return warn("unreadable", error.violations.empty() ? std::string{} : error.violations.front().path,
                reason_of(error));
  }
  auto& file = found.json->value();
  if (!is_untouched) {
    bool has_gone = false;
    auto const state_of_file = file.state;
    auto const edit = find_edit(view, {found, written}, complete, has_gone);
    file.state = state_of_file;  // its own count is of all that it says
    if (!edit) return warn_of_count("unreadable", edit.error().message);
    if (*edit) return warn("edited", (*edit)->path, (*edit)->what + ": discussion.reconcile takes it over");
  }
  auto const in_file = file.token_count;
  auto const computed = complete.tokens(config.token_rules).total();
  if (in_file == computed) return {};
  bool const is_small = in_file && queries::is_small(*in_file, queries::computed_tokens(file, config.token_rules));
  if (check.repairs && is_small) {
    auto const repaired = engine.files()->write(
        name, [&]() -> Result<store::PairTexts> { return texts_of(file.state, config.token_rules); });
    if (repaired) return {};
  }
  auto const said = in_file ? "says " + std::to_string(*in_file) : std::string("has no token count");
  return warn_of_count("token_count", "the JSON file " + said + ", computed are " + std::to_string(computed));
}

}  // namespace whence::net
