// Identities and revisions of conversation records.
#include "schema/records/conversation/rules.hpp"

#include "schema/types/ref.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/assert.hpp>

namespace whence::schema {

std::string node_id(Subject const& subject) {
  return join_key({subject.topic, subject.id});
}

void set_node_id(Subject& subject, std::string_view id) {
  auto parts = split_key(id);
  BOOST_ASSERT(parts.size() == 2);
  subject.topic = std::move(parts.front());
  subject.id = std::move(parts.back());
}

void set_node_id(Summary& summary, std::string_view id) {
  summary.id = id;
  auto const mark = id.rfind("-v");
  if (mark == std::string_view::npos) return;
  summary.version = number_in_key(id.substr(mark + 2));
  summary.topic = id.substr(0, mark);
}

std::string node_id(SystemPromptTemplate const& prompt) {
  return template_id(prompt.model_id, prompt.version);
}

void set_node_id(SystemPromptTemplate& prompt, std::string_view id) {
  auto const parts = split_key(id);
  BOOST_ASSERT(parts.size() == 2);
  prompt.model_id = parts.front();
  prompt.version = number_in_key(parts.back());
}

void fold_into(Keyword& into, Keyword&& later) {
  auto subjects = std::move(into.subjects);
  std::ranges::move(later.subjects, std::back_inserter(subjects));
  into = std::move(later);
  into.subjects = std::move(subjects);
}

void fold_into(Subject& into, Subject&& later) {
  auto keywords = std::move(into.keywords);
  std::ranges::move(later.keywords, std::back_inserter(keywords));
  std::ranges::sort(keywords);
  auto ranges = std::move(into.time_ranges);
  if (!ranges.empty()) ranges.pop_back();
  std::ranges::move(later.time_ranges, std::back_inserter(ranges));
  into = std::move(later);
  into.keywords = std::move(keywords);
  into.time_ranges = std::move(ranges);
}

}  // namespace whence::schema
