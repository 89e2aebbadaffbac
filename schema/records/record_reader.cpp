// Joining stored content with what the graph holds.
#include "schema/records/record_reader.hpp"

#include "schema/records/discussion/discussion.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/assert.hpp>

namespace whence::schema {

namespace {

/// What has no lists to gain is replaced whole.
template <class T>
void fold_into(T& into, T&& later) {
  into = std::move(later);
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

/// What an open round gains: the responses of `later` beside those it has.
void fold_into(DiscussionRound& into, DiscussionRound&& later) {
  for (Speaker const& each : speakers()) {
    if (later.*each.response) into.*each.response = std::move(later.*each.response);
  }
}

/// A retrieval changes nothing that the chunk says; an embedding may come later.
void fold_into(RetrievedChunk& into, RetrievedChunk&& later) {
  if (later.embedding) into.embedding = std::move(later.embedding);
}

}  // namespace

void complete(Record& record, std::string_view id, std::vector<ContextReference> context_units) {
  set_node_id(record, id);
  if (auto* response = std::get_if<Response>(&record)) {
    response->context_units = std::move(context_units);
  } else {
    BOOST_ASSERT(context_units.empty());
  }
}

void fold(Record& into, Record&& later) {
  BOOST_ASSERT(into.index() == later.index());
  std::visit([&]<class T>(T& each) { fold_into(each, std::get<T>(std::move(later))); }, into);
}

}  // namespace whence::schema
