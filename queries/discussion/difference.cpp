// Comparing files with the store, kind by kind.
#include "queries/discussion/difference.hpp"

#include "queries/discussion/text.hpp"
#include "schema/base/report.hpp"
#include "schema/base/text.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/records.hpp"
#include "schema/wire/record_object.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <utility>

#include <boost/json/object.hpp>

namespace whence::queries {
namespace {

using schema::DiscussionState;
using schema::SummaryEntry;
using schema::json::DiscussionFile;
using schema::json::file_text_of;

std::string quoted(std::string_view text) {
  std::string json;
  schema::json::append_string(json, text);
  return json;
}

std::string pointer(std::string_view list, std::size_t place) {
  return std::string("/").append(list).append("/").append(std::to_string(place));
}

void compare_tokens(DiscussionFile const& file, schema::TokenRules const& rules, std::vector<Difference>& found) {
  auto const computed = computed_tokens(file, rules);
  if (file.token_count == computed) return;
  auto const in_file = file.token_count ? std::optional(std::to_string(*file.token_count)) : std::nullopt;
  found.push_back({DifferenceKind::token_count, "/tokenCount", in_file, std::to_string(computed)});
}

/// A summary as the server would complete it: what it fills in is the store's where the file lacks it.
SummaryEntry completed(SummaryEntry summary, SummaryEntry const* stored) {
  if (stored == nullptr) return summary;
  if (!summary.created_at) summary.created_at = stored->created_at;
  if (!summary.token_count_before) summary.token_count_before = stored->token_count_before;
  if (!summary.token_count_after) summary.token_count_after = stored->token_count_after;
  return summary;
}

schema::DiscussionRound const& completed(schema::DiscussionRound const& round, schema::DiscussionRound const*) {
  return round;
}

template <class T>
T const* find_number(std::vector<T> const& list, std::int64_t number) {
  auto const found = std::ranges::lower_bound(list, number, {}, &T::round_number);
  return found == list.end() || found->round_number != number ? nullptr : &*found;
}

/// Whether a list in the order of numbers, which may occur several times, has exactly this part.
template <class T>
bool has(std::vector<T> const& list, T const& wanted) {
  auto const first = std::ranges::lower_bound(list, wanted.round_number, {}, &T::round_number);
  auto const last = std::ranges::upper_bound(first, list.end(), wanted.round_number, {}, &T::round_number);
  return std::find(first, last, wanted) != last;
}

/// How one part of a file relates to the store's of its number, null where there is none.
enum class PartStanding : std::uint8_t { same, older, edited };

template <class T>
PartStanding standing_of_part(T const& part, T const* stored, std::vector<T> const& earlier) {
  if (stored != nullptr && completed(part, stored) == *stored) return PartStanding::same;
  return has(earlier, part) ? PartStanding::older : PartStanding::edited;
}

/// Rounds or summaries, both in the order of their numbers.
template <class T>
void compare_parts(DifferenceKind kind, std::string_view list, std::vector<T> const& file, std::vector<T> const& store,
                   std::vector<T> const& earlier, FileStanding& found) {
  for (std::size_t i = 0; i < file.size(); ++i) {
    auto const* const stored = find_number(store, file[i].round_number);
    auto const standing = standing_of_part(file[i], stored, earlier);
    if (standing == PartStanding::older) found.is_behind = true;
    if (standing != PartStanding::edited) continue;
    Difference difference{kind, pointer(list, i), file_text_of(file[i])};
    if (stored != nullptr) difference.store = file_text_of(*stored);
    found.edits.push_back(std::move(difference));
  }
  found.is_behind = found.is_behind || std::ranges::any_of(store, [&](T const& each) {
                      return find_number(file, each.round_number) == nullptr;
                    });
}

/// The store's parts, with those that the file has and the store never had in their place.
template <class T>
std::vector<T> merged_parts(std::vector<T> const& file, std::vector<T> const& store, std::vector<T> const& earlier) {
  std::vector<T> all = store;
  for (auto const& part : file) {
    auto const* const stored = find_number(store, part.round_number);
    if (standing_of_part(part, stored, earlier) != PartStanding::edited) continue;
    auto const at = std::ranges::lower_bound(all, part.round_number, {}, &T::round_number);
    if (at != all.end() && at->round_number == part.round_number) {
      *at = part;
    } else {
      all.insert(at, part);
    }
  }
  return all;
}

/// Compares the file's own members for the current summary with the last of its summaries.
void compare_current(DiscussionFile const& file, std::vector<Difference>& found) {
  auto const* const current = file.state.current_summary();
  auto const expected = current == nullptr ? std::nullopt : std::optional(*current);
  auto const add = [&](std::string_view path, std::optional<std::string> in_file, std::optional<std::string> agreeing) {
    found.push_back({DifferenceKind::summary, std::string(path), std::move(in_file), std::move(agreeing)});
  };
  auto const text_of = [](std::optional<SummaryEntry> const& summary) {
    return summary ? std::optional(file_text_of(*summary)) : std::nullopt;
  };
  if (file.current_summary != expected) add("/currentSummary", text_of(file.current_summary), text_of(expected));
  auto const text = expected ? std::optional(expected->summary) : std::nullopt;
  auto const quoted_if = [](std::optional<std::string> const& each) {
    return each ? std::optional(quoted(*each)) : std::nullopt;
  };
  if (file.summary != text) add("/summary", quoted_if(file.summary), quoted_if(text));
}

using Members = std::map<std::string, std::string>;  // JSON Pointer to text that is equal for equal values

Members members_of(schema::Discussion const& discussion) {
  Members members;
  auto const object = schema::json::to_object(schema::Record{discussion});
  if (!object) return members;
  for (auto const& member : *object) {
    if (member.key() == "$type$") continue;
    std::string path;
    schema::append_step(path, member.key());
    members.emplace(std::move(path), schema::json::to_canonical_text(member.value()));
  }
  return members;
}

/// The members that a client gives; the rest follows from the rounds, or is the engine's own.
schema::Discussion given_members(schema::Discussion discussion) {
  discussion.updated_at.reset();
  discussion.open_round.reset();
  discussion.open_questions.reset();
  return discussion;
}

bool was_before(schema::Discussion const& discussion, EarlierContents const& earlier) {
  auto const given = given_members(discussion);
  return std::ranges::any_of(earlier.discussions,
                             [&](schema::Discussion const& each) { return given_members(each) == given; });
}

void compare_metadata(DiscussionState const& file, DiscussionState const& store, EarlierContents const& earlier,
                      FileStanding& found) {
  auto stored = store.discussion;
  stored.updated_at = store.updated_at();
  auto const is_older =
      given_members(file.discussion) != given_members(store.discussion) && was_before(file.discussion, earlier);
  bool const is_earlier = file.discussion.updated_at < stored.updated_at;
  // The server fills in when a discussion was made: after the first content is gone, with another time.
  bool const was_made_before = earlier.lacks_discussion && file.discussion.created_at < store.discussion.created_at;
  auto const in_store = members_of(stored);
  auto const in_file = members_of(file.discussion);
  for (auto const& [path, text] : in_file) {
    auto const known = in_store.find(path);
    if (known != in_store.end() && known->second == text) continue;
    if (path == "/updatedAt" ? is_earlier : is_older || (path == "/createdAt" && was_made_before)) {
      found.is_behind = true;
      continue;
    }
    Difference difference{DifferenceKind::metadata, path, text};
    if (known != in_store.end()) difference.store = known->second;
    found.edits.push_back(std::move(difference));
  }
  // What the server fills in may be missing in a file.
  found.is_behind = found.is_behind || std::ranges::any_of(in_store, [&](auto const& each) {
                      return each.first != "/createdAt" && each.first != "/updatedAt" && !in_file.contains(each.first);
                    });
}

void compare_standing(FileStanding const& standing, DiscussionState const& file, DiscussionState const& store,
                      std::vector<Difference>& found) {
  if (!standing.is_behind) return;
  auto const counts = [](DiscussionState const& state) {
    std::string text;
    schema::json::Writer out{text};
    out.begin_object().member("rounds", std::uint64_t{state.rounds.size()});
    out.member("summaries", std::uint64_t{state.summaries.size()}).end_object();
    return text;
  };
  found.push_back({DifferenceKind::behind, "", counts(file), counts(store)});
}

/// The line that begins at `at`, as JSON text; nothing beyond the end. A file may hold anything.
std::optional<std::string> line_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return std::nullopt;
  auto const line = text.substr(at, text.find('\n', at) - at);
  return quoted(schema::is_utf8(line) ? line : "(a line that is not UTF-8)");
}

void compare_markdown(std::string const& file, std::string const& expected, std::vector<Difference>& found) {
  if (file == expected) return;
  auto const end = std::min(file.size(), expected.size());
  auto const same = static_cast<std::size_t>(
      std::mismatch(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(end), expected.begin()).first -
      file.begin());
  auto const newline = same == 0 ? std::string::npos : expected.rfind('\n', same - 1);
  auto const line = newline == std::string::npos ? 0 : newline + 1;
  found.push_back({DifferenceKind::markdown, "", line_at(file, line), line_at(expected, line)});
}

void report_unreadable(Error const& error, std::vector<Difference>& found) {
  auto const path = error.violations.empty() ? std::string{} : error.violations.front().path;
  found.push_back({DifferenceKind::unreadable, path, quoted(error.message), std::nullopt});
}

}  // namespace

std::int64_t computed_tokens(DiscussionFile const& file, schema::TokenRules const& rules) {
  return file.state.tokens(rules).total();
}

bool is_small(std::int64_t file, std::int64_t computed) noexcept {
  return std::abs(file - computed) * 100 < 5 * computed;
}

bool FileStanding::is_edited() const noexcept {
  return std::ranges::any_of(edits, [](Difference const& each) { return each.path != "/updatedAt"; });
}

FileStanding standing_of(DiscussionState const& file, DiscussionState const& store, EarlierContents const& earlier) {
  FileStanding standing;
  compare_parts(DifferenceKind::round, "rounds", file.rounds, store.rounds, earlier.rounds, standing);
  compare_parts(DifferenceKind::summary, "summaries", file.summaries, store.summaries, earlier.summaries, standing);
  compare_metadata(file, store, earlier, standing);
  return standing;
}

DiscussionState merged(DiscussionState const& file, DiscussionState const& store, EarlierContents const& earlier) {
  DiscussionState all{.discussion = store.discussion,
                      .rounds = merged_parts(file.rounds, store.rounds, earlier.rounds),
                      .summaries = merged_parts(file.summaries, store.summaries, earlier.summaries)};
  auto const& given = file.discussion;
  if (was_before(given, earlier)) return all;
  auto const take = [](auto const& from, auto& into) {
    if (from) into = from;
  };
  take(given.topic, all.discussion.topic);
  take(given.created_at, all.discussion.created_at);
  take(given.is_resolved, all.discussion.is_resolved);
  take(given.needs_user_input, all.discussion.needs_user_input);
  take(given.attributes, all.discussion.attributes);
  if (given.updated_at > store.updated_at()) all.discussion.updated_at = given.updated_at;
  return all;
}

std::vector<Difference> differences(FoundDiscussion const& found, DiscussionState const& store,
                                    schema::TokenRules const& rules, EarlierContents const& earlier) {
  std::vector<Difference> all;
  auto const missing = [&](std::string_view name) {
    all.push_back({DifferenceKind::missing_file, "", std::nullopt, quoted(name)});
  };
  if (!found.json) missing("json");
  if (!found.markdown) missing("md");
  if (!found.json) return all;
  if (!*found.json) {
    report_unreadable(found.json->error(), all);
    return all;
  }
  DiscussionFile const& file = **found.json;
  auto standing = standing_of(file.state, store, earlier);
  compare_standing(standing, file.state, store, all);
  compare_tokens(file, rules, all);
  std::ranges::move(standing.edits, std::back_inserter(all));
  compare_current(file, all);
  if (found.markdown) compare_markdown(*found.markdown, markdown_text(file.state, rules), all);
  std::ranges::stable_sort(all, {}, &Difference::kind);
  return all;
}

}  // namespace whence::queries
