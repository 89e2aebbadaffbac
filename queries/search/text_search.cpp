// The index names vertices; whether one is among the answers is decided here: by the snapshot, by the conditions, and
// where the index has read it at another moment by its texts.
#include "queries/search/text_search.hpp"

#include "graph/snapshot/records.hpp"
#include "queries/find/search.hpp"
#include "queries/view/resolve.hpp"
#include "schema/base/poll.hpp"
#include "schema/base/report.hpp"
#include "schema/base/suggest.hpp"
#include "schema/search/texts.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace whence::queries {
namespace {

constexpr std::size_t records_at_once = 50;
constexpr std::size_t looked_at_max = 1'000;                      // for each record that is sought
constexpr std::size_t ranked_bytes_max = std::size_t{512} << 10;  // of texts that ranking reads
constexpr std::size_t checked_bytes_max = std::size_t{16} << 20;  // of texts that are read to know whether they match

/// A vertex that may be an answer.
struct SearchCandidate {
  VertexId vertex;
  bool is_certain;  ///< it has the words
  bool is_unread;   ///< the index has not read it as it is
};

Error search_off() {
  return error_from(Violation{.code = Errc::precondition,
                              .rule = "search_off",
                              .message = "the texts of this store are not searched: the server runs with --no-search"});
}

Result<SoughtWords> parse_words(schema::TextIndex const& index, SearchParams const& params) {
  auto const& text = params.text;
  auto sought = sought_words(index, text, params.exact);
  if (sought.words.empty()) {
    return error_from(invalid_param("words", "/text", schema::shown(text), "has no word: no letter and no digit"));
  }
  if (sought.words.size() > search_words_max) {
    return error_from(invalid_param("words", "/text", schema::shown(text),
                                    "has more than " + std::to_string(search_words_max) + " different words"));
  }
  return sought;
}

/// The conditions; nothing where there are none.
Result<std::optional<Search>> parse_conditions(SearchParams const& params) {
  using Parsed = std::optional<Search>;
  if (params.where.empty()) return Parsed{};
  std::vector<schema::RecordType> types;
  for (auto const& row : schema::record_types()) {
    if (params.types && params.types->contains(row.type)) types.push_back(row.type);
  }
  if (types.size() != 1) {
    return error_from(invalid_param("types", "/where", "", "goes with exactly one type in `types`"));
  }
  auto search = parse_search(types.front(), params.where);
  if (!search) return search.error();
  return Parsed{std::move(*search)};
}

/// Finds, checks and ranks the records of one question.
class Finding {
 public:
  Finding(View const& view, SearchParams const& params, WordMatch const& match, schema::Poll& poll)
      : view_(view), params_(params), match_(match), poll_(poll) {}

  /// The vertices that may be answers, newest first, each once.
  [[nodiscard]] std::vector<SearchCandidate> candidates(schema::WordsFound const& found) const {
    std::vector<SearchCandidate> all;
    std::unordered_set<std::uint32_t> unread;
    for (VertexId const vertex : found.unread) {
      if (may_answer(vertex) && unread.insert(schema::number(vertex)).second) all.push_back({vertex, false, true});
    }
    for (VertexId const vertex : found.indexed) {
      if (!may_answer(vertex) || unread.contains(schema::number(vertex))) continue;
      all.push_back({vertex, view_.snapshot.contents_count(vertex) == 1, false});
    }
    std::ranges::sort(all, std::greater{}, &SearchCandidate::vertex);
    return all;
  }

  /// Leaves the candidates for which the conditions hold.
  [[nodiscard]] Result<void> keep(Search const& search, std::vector<SearchCandidate>& candidates) {
    std::vector<VertexId> vertices;
    vertices.reserve(candidates.size());
    for (auto const& each : candidates) vertices.push_back(each.vertex);
    if (auto kept = keep_matches(view_, search, vertices, poll_); !kept) return kept;
    auto next = vertices.begin();  // a part of the candidates in the same order
    std::erase_if(candidates, [&](SearchCandidate const& each) {
      if (next == vertices.end() || *next != each.vertex) return true;
      ++next;
      return false;
    });
    return {};
  }

  /// The first that has the words.
  [[nodiscard]] Result<void> take_one(std::span<SearchCandidate const> candidates, TextMatches& into) {
    auto const certain = std::ranges::find(candidates, true, &SearchCandidate::is_certain);
    if (certain != candidates.end()) {
      into.nodes.push_back({certain->vertex});
      return {};
    }
    std::size_t bytes = 0;
    while (!candidates.empty() && into.nodes.empty()) {
      auto const some = candidates.first(std::min(candidates.size(), records_at_once));
      if (auto read = read_some(some, bytes, into.nodes); !read) return read;
      candidates = candidates.subspan(some.size());
    }
    return {};
  }

  /// Ranks the newest that have the words; behind them those that are left.
  [[nodiscard]] Result<void> take(std::span<SearchCandidate const> candidates, TextMatches& into) {
    auto rest = candidates;
    std::size_t bytes = 0;
    while (!rest.empty() && into.nodes.size() < ranked_max && bytes < ranked_bytes_max) {
      auto const some = rest.first(std::min({rest.size(), records_at_once, ranked_max - into.nodes.size()}));
      if (auto read = read_some(some, bytes, into.nodes); !read) return read;
      rest = rest.subspan(some.size());
    }
    std::ranges::stable_sort(into.nodes, std::greater{}, [](TextMatch const& each) { return *each.score; });
    return take_unranked(rest, into);
  }

 private:
  [[nodiscard]] bool may_answer(VertexId vertex) const {
    auto const& snapshot = view_.snapshot;
    return snapshot.contains(vertex) && !snapshot.is_deleted(vertex) &&
           (!params_.types || params_.types->contains(snapshot.type(vertex))) && !snapshot.gone(vertex);
  }

  /// Adds those that have the words with their scores.
  [[nodiscard]] Result<void> read_some(std::span<SearchCandidate const> some, std::size_t& bytes,
                                       std::vector<TextMatch>& into) {
    constexpr std::uint64_t steps_of_record = 50;
    if (poll_.must_stop(steps_of_record * some.size())) return poll_.error();
    std::vector<VertexId> vertices;
    for (auto const& each : some) vertices.push_back(each.vertex);
    Result<void> put;
    auto read =
        graph::read_those_there(view_.snapshot, *view_.records, vertices, [&](std::size_t i, schema::Record&& record) {
          put = schema::put_searched_texts(record, *view_.records);
          if (!put) return false;
          if (auto const score = match_.score(record, view_.snapshot.id(vertices[i]), bytes))
            into.push_back({vertices[i], *score});
          return true;
        });
    return put ? read : put;
  }

  [[nodiscard]] Result<void> take_unranked(std::span<SearchCandidate const> rest, TextMatches& into) {
    std::size_t bytes = 0;         // of what the index named
    std::size_t unread_bytes = 0;  // that is bounded by what is said to be unread
    std::vector<TextMatch> checked;
    for (std::size_t at = 0; at < rest.size();) {
      if (poll_.must_stop()) return poll_.error();
      if (into.nodes.size() >= matches_max || bytes >= checked_bytes_max) {
        into.is_cut = true;
        return {};
      }
      if (rest[at].is_certain) {
        into.nodes.push_back({rest[at++].vertex});
        continue;
      }
      bool const is_unread = rest[at].is_unread;
      auto const is_alike = [&](SearchCandidate const& each) {
        return !each.is_certain && each.is_unread == is_unread;
      };
      std::size_t count = 1;
      while (count < records_at_once && at + count < rest.size() && is_alike(rest[at + count])) ++count;
      checked.clear();
      auto& read_bytes = is_unread ? unread_bytes : bytes;
      if (auto read = read_some(rest.subspan(at, count), read_bytes, checked); !read) return read;
      for (auto const& each : checked) into.nodes.push_back({each.vertex});
      at += count;
    }
    return {};
  }

  View const& view_;
  SearchParams const& params_;
  WordMatch const& match_;
  schema::Poll& poll_;
};

/// `enough` records are sought: with 1 none is ranked, and the search ends with the first.
Result<TextMatches> find_matches(View const& view, SearchParams const& params, std::optional<Search> const& conditions,
                                 SoughtWords sought, Budget const& budget, std::size_t enough = matches_max) {
  schema::Poll poll(budget.interrupt);
  constexpr std::uint64_t steps_of_index = 4 * schema::Poll::steps_between;  // too many for a thread that may not block
  if (poll.must_stop(steps_of_index)) return poll.error();
  TextMatches matches{.sought = std::move(sought)};
  auto found = view.texts->find({.words = matches.sought.words,
                                 .stems = matches.sought.stems,
                                 .last_is_prefix = matches.sought.last_is_prefix,
                                 .types = params.types,
                                 .tx = view.snapshot.tx(),
                                 .vertices = view.snapshot.vertex_count(),
                                 .found_max = std::min(matches_max, enough * looked_at_max)},
                                budget.interrupt);
  if (!found) return found.error();
  if (poll.must_stop(steps_of_index)) return poll.error();  // it may have stopped for the same reason
  matches.is_cut = found->is_cut;
  matches.is_behind = found->is_behind;
  WordMatch const match(*view.texts, matches.sought);
  Finding finding(view, params, match, poll);
  auto candidates = finding.candidates(*found);
  if (conditions) {
    if (auto kept = finding.keep(*conditions, candidates); !kept) return kept.error();
  }
  auto taken = enough == 1 ? finding.take_one(candidates, matches) : finding.take(candidates, matches);
  if (!taken) return taken.error();
  return matches;
}

/// Says what would find something where a question finds nothing: words that are spelled nearly so in the place of
/// those that nothing has, else fewer words. Each suggestion was tried. What there is no time for is not suggested.
class Suggesting {
 public:
  Suggesting(View const& view, SearchParams const& params, std::optional<Search> const& conditions,
             Budget const& budget)
      : view_(view), params_(params), conditions_(conditions), budget_(budget) {}

  [[nodiscard]] std::vector<std::string> of(SoughtWords const& sought) const {
    std::vector<std::string> suggested;
    if (sought.words.size() > words_max) return suggested;
    auto near = sought.words;
    bool has_unknown = false;
    for (auto& word : near) {
      bool const may_go_on = sought.last_is_prefix && &word == &near.back();
      if (finds_something(may_go_on ? word : word + " ")) continue;
      has_unknown = true;
      word = word_like(word);
    }
    std::erase(near, std::string());
    if (has_unknown && !near.empty() && finds_something(joined(near))) return {joined(near)};
    if (!has_unknown) near = sought.words;
    for (std::size_t out = near.size(); near.size() > 1 && out-- > 0 && suggested.size() < suggestions_max;) {
      auto fewer = near;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(out));
      if (finds_something(joined(fewer))) suggested.push_back(joined(fewer));
    }
    return suggested;
  }

 private:
  static constexpr std::size_t words_max = 8;

  static std::string joined(std::vector<std::string> const& words) {
    std::string all;
    for (auto const& word : words) all.append(all.empty() ? "" : " ").append(word);
    return all;
  }

  [[nodiscard]] bool finds_something(std::string const& text) const {
    auto const found =
        find_matches(view_, params_, conditions_, sought_words(*view_.texts, text, params_.exact), budget_, 1);
    return found && !found->nodes.empty();
  }

  /// The most similar word of the texts; empty where there is none.
  [[nodiscard]] std::string word_like(std::string const& word) const {
    auto known = view_.texts->words_like(word, budget_.interrupt);
    add_unread(word, known);
    std::vector<std::string_view> const names(known.begin(), known.end());
    return std::string(schema::most_similar(word, names));
  }

  /// Words of records that the index has not read.
  void add_unread(std::string const& word, std::vector<std::string>& known) const {
    schema::Poll poll(budget_.interrupt);
    auto const found = view_.texts->find({.words = {word},
                                          .types = params_.types,
                                          .tx = view_.snapshot.tx(),
                                          .vertices = view_.snapshot.vertex_count(),
                                          .found_max = 1},
                                         budget_.interrupt);
    if (!found) return;
    std::size_t bytes = 0;
    std::set<std::string> seen;
    std::span<VertexId const> rest = found->unread;
    while (!rest.empty() && bytes < checked_bytes_max && seen.size() < schema::near_words_max) {
      auto const some = rest.first(std::min(rest.size(), records_at_once));
      rest = rest.subspan(some.size());
      if (poll.must_stop(some.size())) return;
      std::vector<VertexId> there;
      for (auto const vertex : some) {
        if (view_.snapshot.contains(vertex) && !view_.snapshot.gone(vertex)) there.push_back(vertex);
      }
      auto const read =
          graph::read_those_there(view_.snapshot, *view_.records, there, [&](std::size_t i, schema::Record&& record) {
            if (!schema::put_searched_texts(record, *view_.records)) return false;
            schema::for_each_text(record, view_.snapshot.id(there[i]), [&](schema::RecordText const& text) {
              bytes += text.text.size();
              view_.texts->split(text.text, [&](schema::Word const& each) {
                if (each.folded.front() == word.front()) seen.emplace(each.folded);
                return seen.size() < schema::near_words_max;
              });
            });
            return bytes < checked_bytes_max;
          });
      if (!read) return;
    }
    known.insert(known.end(), seen.begin(), seen.end());
  }

  View const& view_;
  SearchParams const& params_;
  std::optional<Search> const& conditions_;
  Budget const& budget_;
};

}  // namespace

std::vector<VertexId> shown_vertices(TextMatches const& found) {
  std::vector<VertexId> vertices;
  vertices.reserve(found.nodes.size());
  for (auto const& each : found.nodes) vertices.push_back(each.vertex);
  return vertices;
}

Result<TextMatches> search(View const& view, SearchParams const& params, Budget const& budget) {
  if (view.texts == nullptr) return search_off();
  auto sought = parse_words(*view.texts, params);
  if (!sought) return sought.error();
  auto const conditions = parse_conditions(params);
  if (!conditions) return conditions.error();
  auto matches = find_matches(view, params, *conditions, std::move(*sought), budget);
  if (matches && matches->nodes.empty()) {
    matches->suggestions = Suggesting(view, params, *conditions, budget).of(matches->sought);
  }
  return matches;
}

}  // namespace whence::queries
