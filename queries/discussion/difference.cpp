// Comparing files with the store, kind by kind.
#include "queries/discussion/difference.hpp"

#include "queries/discussion/text.hpp"
#include "schema/base/report.hpp"
#include "schema/base/text.hpp"
#include "schema/json/codec.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/records.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <ostream>
#include <utility>

#include <boost/json/object.hpp>

namespace whence::queries {
namespace {

using schema::DiscussionState;
using schema::SummaryEntry;
using schema::json::DiscussionFile;
using schema::json::file_text_of;

constexpr std::array<std::string_view, 7> kind_names = {"missing_file", "unreadable", "token_count", "round",
                                                        "summary",      "metadata",   "markdown"};

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

/// Rounds or summaries, both in the order of their numbers, by number.
template <class T>
void compare_numbered(DifferenceKind kind, std::string_view list, std::vector<T> const& file,
                      std::vector<T> const& store, std::vector<Difference>& found) {
  std::size_t in_file = 0;
  std::size_t in_store = 0;
  while (in_file < file.size() || in_store < store.size()) {
    T const* const mine = in_file < file.size() ? &file[in_file] : nullptr;
    T const* const theirs = in_store < store.size() ? &store[in_store] : nullptr;
    bool const has_mine = mine != nullptr && (theirs == nullptr || mine->round_number <= theirs->round_number);
    bool const has_theirs = theirs != nullptr && (mine == nullptr || theirs->round_number <= mine->round_number);
    if (!(has_mine && has_theirs && *mine == *theirs)) {
      Difference difference{kind, pointer(list, has_mine ? in_file : in_store)};
      if (has_mine) difference.file = file_text_of(*mine);
      if (has_theirs) difference.store = file_text_of(*theirs);
      found.push_back(std::move(difference));
    }
    if (has_mine) ++in_file;
    if (has_theirs) ++in_store;
  }
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
  auto const document = schema::json::parse(schema::json::to_text(schema::Record{discussion}));
  if (!document) return members;
  for (auto const& member : document->value.as_object()) {
    if (member.key() == "$type$") continue;
    std::string path;
    schema::append_step(path, member.key());
    members.emplace(std::move(path), schema::json::to_canonical_text(member.value()));
  }
  return members;
}

void compare_metadata(DiscussionFile const& file, DiscussionState const& store, std::vector<Difference>& found) {
  auto stored = store.discussion;
  stored.updated_at = store.updated_at();
  std::map<std::string, Difference> by_path;
  for (auto& [path, text] : members_of(file.state.discussion)) {
    by_path[path].file = text;
  }
  for (auto& [path, text] : members_of(stored)) {
    by_path[path].store = text;
  }
  for (auto& [path, difference] : by_path) {
    if (difference.file == difference.store) continue;
    difference.kind = DifferenceKind::metadata;
    difference.path = path;
    found.push_back(std::move(difference));
  }
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

std::string_view name_of(DifferenceKind kind) noexcept {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::ostream& operator<<(std::ostream& out, DifferenceKind kind) {
  return out << name_of(kind);
}

std::int64_t computed_tokens(DiscussionFile const& file, schema::TokenRules const& rules) {
  return file.state.tokens(rules).total();
}

bool is_small(std::int64_t file, std::int64_t computed) noexcept {
  return std::abs(file - computed) * 100 < 5 * computed;
}

std::vector<Difference> differences(FoundDiscussion const& found, DiscussionState const& store,
                                    schema::TokenRules const& rules) {
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
  compare_tokens(file, rules, all);
  compare_numbered(DifferenceKind::round, "rounds", file.state.rounds, store.rounds, all);
  compare_numbered(DifferenceKind::summary, "summaries", file.state.summaries, store.summaries, all);
  compare_current(file, all);
  compare_metadata(file, store, all);
  if (found.markdown) compare_markdown(*found.markdown, markdown_text(file.state, rules), all);
  return all;
}

}  // namespace whence::queries
