// Identities and revisions of discussion records.
#include "schema/records/discussion/rules.hpp"

#include "schema/records/discussion/discussion.hpp"
#include "schema/types/ref.hpp"

#include <utility>

#include <boost/assert.hpp>

namespace whence::schema {
namespace {

/// Rounds and summaries are known by their discussion and the number of a round.
template <class T>
void set_numbered_id(T& record, std::string_view id) {
  auto parts = split_key(id);
  BOOST_ASSERT(parts.size() == 3);
  parts.resize(3);  // a damaged id must not be read beyond its end
  record.user_id = std::move(parts[0]);
  record.discussion_id = std::move(parts[1]);
  record.round_number = number_in_key(parts[2]);
}

}  // namespace

std::string node_id(Discussion const& discussion) {
  return discussion_key(discussion.user_id, discussion.discussion_id);
}

void set_node_id(Discussion& discussion, std::string_view id) {
  auto parts = split_key(id);
  BOOST_ASSERT(parts.size() == 2);
  discussion.user_id = std::move(parts.front());
  discussion.discussion_id = std::move(parts.back());
}

std::string node_id(DiscussionRound const& round) {
  return round_key(round.user_id, round.discussion_id, round.round_number);
}

void set_node_id(DiscussionRound& round, std::string_view id) {
  set_numbered_id(round, id);
  name_speakers(round);
}

std::string node_id(SummaryEntry const& summary) {
  return round_key(summary.user_id, summary.discussion_id, summary.round_number);
}

void set_node_id(SummaryEntry& summary, std::string_view id) {
  set_numbered_id(summary, id);
}

void fold_into(DiscussionRound& into, DiscussionRound&& later) {
  for (Speaker const& each : speakers()) {
    if (later.*each.response) into.*each.response = std::move(later.*each.response);
  }
  if (later.questions) into.questions = std::move(later.questions);
  if (later.user_answers) into.user_answers = std::move(later.user_answers);
}

}  // namespace whence::schema
