// The grammar of citations.
#include "schema/records/retrieval/citation.hpp"

#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace whence::schema {
namespace {

/// The second of each pair is how `format_context` names a chunk to the model.
constexpr std::array<std::string_view, 2> page_marks = {", page ", ", p."};
constexpr std::array<std::string_view, 2> section_marks = {", section ", ", "};

/// Whether `a` is meant before `b` where both may be.
bool is_better(Retrieval const& a, Retrieval const& b) {
  if (a.similarity != b.similarity) return a.similarity > b.similarity;
  return a.chunk_id < b.chunk_id;
}

/// The best retrieval for which `fits` holds.
template <class Fits>
std::optional<std::size_t> find_best(std::span<Retrieval const> retrievals, Fits const& fits) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < retrievals.size(); ++i) {
    if (fits(retrievals[i]) && (!best || is_better(retrievals[i], retrievals[*best]))) best = i;
  }
  return best;
}

void sort_longest_first(std::vector<std::string_view>& texts) {
  std::ranges::sort(
      texts, [](std::string_view a, std::string_view b) { return a.size() != b.size() ? a.size() > b.size() : a < b; });
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

/// A citation that was read: how much of the text it took, and what it means.
struct ReadCitation {
  std::size_t length;
  std::size_t retrieval;
};

/// Reads citations against the retrievals of one request.
class CitationReader {
 public:
  explicit CitationReader(std::span<Retrieval const> retrievals) : retrievals_(retrievals) {
    for (auto const& each : retrievals) names_.push_back(each.metadata.document_name);
    sort_longest_first(names_);
  }

  /// The citation at the front of `text`, which starts behind the opening bracket.
  [[nodiscard]] std::optional<ReadCitation> read(std::string_view text) const {
    for (std::string_view const name : names_) {
      if (!text.starts_with(name)) continue;
      auto const rest = text.substr(name.size());
      auto found = read_plain(name, rest);
      for (auto const mark : page_marks) {
        if (!found) found = read_page(name, mark, rest);
      }
      for (auto const mark : section_marks) {
        if (!found) found = read_section(name, mark, rest);
      }
      if (found) return ReadCitation{name.size() + found->length, found->retrieval};
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::optional<ReadCitation> read_plain(std::string_view name, std::string_view rest) const {
    if (!rest.starts_with(']')) return std::nullopt;
    return meaning(1, [&](Retrieval const& each) { return each.metadata.document_name == name; });
  }

  [[nodiscard]] std::optional<ReadCitation> read_page(std::string_view name, std::string_view mark,
                                                      std::string_view rest) const {
    if (!rest.starts_with(mark)) return std::nullopt;
    auto const digits = rest.substr(mark.size());
    std::uint64_t page = 0;
    auto const parsed = std::from_chars(digits.data(), digits.data() + digits.size(), page);
    auto const count = static_cast<std::size_t>(parsed.ptr - digits.data());
    if (parsed.ec != std::errc{} || !digits.substr(count).starts_with(']')) return std::nullopt;
    return meaning(mark.size() + count + 1, [&](Retrieval const& each) {
      auto const& own = each.metadata.page_number;
      return each.metadata.document_name == name && own && static_cast<std::uint64_t>(*own) == page;
    });
  }

  [[nodiscard]] std::optional<ReadCitation> read_section(std::string_view name, std::string_view mark,
                                                         std::string_view rest) const {
    if (!rest.starts_with(mark)) return std::nullopt;
    rest.remove_prefix(mark.size());
    for (std::string_view const section : sections_of(name)) {
      if (!rest.starts_with(section) || !rest.substr(section.size()).starts_with(']')) continue;
      return meaning(mark.size() + section.size() + 1, [&](Retrieval const& each) {
        return each.metadata.document_name == name && each.metadata.section == section;
      });
    }
    return std::nullopt;
  }

  [[nodiscard]] std::vector<std::string_view> sections_of(std::string_view name) const {
    std::vector<std::string_view> sections;
    for (auto const& each : retrievals_) {
      if (each.metadata.document_name == name && each.metadata.section) sections.push_back(*each.metadata.section);
    }
    sort_longest_first(sections);
    return sections;
  }

  template <class Fits>
  [[nodiscard]] std::optional<ReadCitation> meaning(std::size_t length, Fits const& fits) const {
    auto const best = find_best(retrievals_, fits);
    return best ? std::optional{ReadCitation{length, *best}} : std::nullopt;
  }

  std::span<Retrieval const> retrievals_;
  std::vector<std::string_view> names_;  // longest first
};

void append_new(std::vector<std::size_t>& list, std::size_t item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

/// The first `count` code points of UTF-8 text.
std::string_view first_code_points(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  while (end < text.size() && count > 0) {
    ++end;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    --count;
  }
  return text.substr(0, end);
}

/// One space for each run of white space, none at the ends.
std::string fold_white_space(std::string_view text) {
  std::string folded;
  folded.reserve(text.size());
  text = trim_white_space(text);
  while (!text.empty()) {
    auto const character = first_code_points(text, 1);
    if (!trim_white_space(character).empty()) {
      folded.append(character);
    } else if (folded.back() != ' ') {
      folded.push_back(' ');
    }
    text.remove_prefix(character.size());
  }
  return folded;
}

}  // namespace

FoundCitations find_citations(std::string_view text, std::span<Retrieval const> retrievals) {
  CitationReader const reader(retrievals);
  FoundCitations found;
  for (auto at = text.find('['); at != std::string_view::npos; at = text.find('[', at)) {
    std::size_t const inside = at + 1;
    if (at > 0 && text[at - 1] == '\\') {
      at = inside;
      continue;
    }
    if (auto const citation = reader.read(text.substr(inside))) {
      append_new(found.retrievals, citation->retrieval);
      at = inside + citation->length;
      continue;
    }
    auto const close = text.find(']', inside);
    if (close == std::string_view::npos) break;  // nor can a later bracket be a citation: all of them end with one
    if (!found.unsupported) found.unsupported = std::string(text.substr(at, close + 1 - at));
    at = close + 1;
  }
  return found;
}

bool is_excerpt(std::string_view excerpt, std::string_view content) {
  auto const folded = fold_white_space(content);
  auto part = fold_white_space(excerpt);
  if (folded.find(part) != std::string::npos) return true;
  for (std::string_view const ellipsis : {"...", "\xe2\x80\xa6"}) {
    if (!part.ends_with(ellipsis)) continue;
    part.resize(part.size() - ellipsis.size());
    return folded.find(trim_white_space(part)) != std::string::npos;
  }
  return false;
}

std::optional<std::size_t> find_cited(Citation const& citation, std::span<Retrieval const> retrievals) {
  auto const is_meant = [&](Retrieval const& each) {
    auto const& metadata = each.metadata;
    if (metadata.document_name != citation.document_name) return false;
    if (citation.chunk_id) return each.chunk_id == *citation.chunk_id;
    if (each.is_expired) return true;  // nothing says any more where in its document it was
    return (!citation.page_number || metadata.page_number == citation.page_number) &&
           (!citation.section || metadata.section == citation.section);
  };
  auto const has_excerpt = [&](Retrieval const& each) {
    return is_meant(each) && is_excerpt(citation.excerpt, each.content);
  };
  auto const found = find_best(retrievals, has_excerpt);
  return found ? found : find_best(retrievals, is_meant);
}

Citation citation_of(Retrieval const& retrieval) {
  return {.document_name = retrieval.metadata.document_name,
          .excerpt = std::string(first_code_points(retrieval.content, limits::excerpt_max)),
          .page_number = retrieval.metadata.page_number,
          .section = retrieval.metadata.section,
          .chunk_id = retrieval.chunk_id};
}

std::optional<double> confidence_of(std::span<Retrieval const> retrievals) noexcept {
  double sum = 0;
  std::size_t known = 0;
  for (auto const& each : retrievals) {
    if (!each.similarity) continue;
    sum += *each.similarity;
    ++known;
  }
  if (known == 0) return retrievals.empty() ? std::optional{0.0} : std::nullopt;
  return sum / static_cast<double>(known);
}

double best_of(std::span<Retrieval const> retrievals) noexcept {
  double best = 0;
  for (auto const& each : retrievals) best = std::max(best, each.similarity.value_or(0));
  return best;
}

void withhold(Answer& answer) {
  answer.answer.reset();
  answer.citations.clear();
  answer.message = not_found_message;
}

std::string format_context(std::span<Retrieval const> retrievals) {
  std::string text;
  for (std::size_t i = 0; i < retrievals.size(); ++i) {
    if (retrievals[i].is_expired) continue;
    auto const& metadata = retrievals[i].metadata;
    if (!text.empty()) text.push_back('\n');
    text.append("Context ").append(std::to_string(i + 1)).append(" [").append(metadata.document_name);
    if (metadata.page_number) {
      text.append(", p.").append(std::to_string(*metadata.page_number));
    } else if (metadata.section) {
      text.append(", ").append(*metadata.section);
    }
    text.append("]: ").append(retrievals[i].content);
  }
  return text;
}

}  // namespace whence::schema
