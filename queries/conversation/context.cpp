// Evaluating xml.context. Subjects are found by their ids, which begin with the topic: older ones have no edge to it.

#include "queries/conversation/context.hpp"

#include "queries/view/gone.hpp"
#include "queries/view/resolve.hpp"
#include "queries/view/whole.hpp"
#include "schema/base/poll.hpp"
#include "schema/types/ref.hpp"
#include "schema/xml/contract.hpp"
#include "schema/xml/usual.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace whence::queries {
namespace {

using schema::RecordType;

/// A possible item of a list, and when it was last seen.
struct Seen {
  schema::EpochMs at;
  std::string text;
};

std::int64_t count_messages(Snapshot const& snapshot, VertexId topic) {
  auto const parts = snapshot.relations_to(topic);  // holds what its members view
  return std::ranges::count_if(parts.vertices, [&](VertexId v) { return snapshot.type(v) == RecordType::message; });
}

/// The document decides what an item may be.
bool is_item(std::string const& text) {
  schema::QueryParts const parts{.user_message = "-", .context = {.topic_id = "-", .active_subjects = {text}}};
  return static_cast<bool>(schema::xml::write(parts));
}

std::vector<std::string> latest(std::vector<Seen> seen, std::size_t items_max) {
  std::ranges::sort(seen, [](Seen const& a, Seen const& b) { return a.at != b.at ? a.at > b.at : a.text < b.text; });
  std::vector<std::string> items;
  for (Seen& each : seen) {
    if (items.size() == items_max) break;
    bool const is_known = std::ranges::find(items, each.text) != items.end();
    if (!is_known && is_item(each.text)) items.push_back(std::move(each.text));
  }
  return items;
}

Result<std::vector<VertexId>> subjects_of_topic(Snapshot const& snapshot, std::string const& topic,
                                                schema::Poll& poll) {
  auto const prefix = schema::join_key({topic, ""});
  std::vector<VertexId> subjects;
  for (VertexId const vertex : snapshot.vertices(RecordType::subject)) {
    if (poll.must_stop()) return poll.error();
    if (snapshot.id(vertex).starts_with(prefix)) subjects.push_back(vertex);
  }
  return subjects;
}

/// Moves what is gone from `vertices` to `gone`.
void take_gone(Snapshot const& snapshot, std::vector<VertexId>& vertices, std::vector<GoneNode>& gone) {
  auto more = gone_among(snapshot, vertices, gone_max - gone.size());
  gone.insert(gone.end(), more.begin(), more.end());
  leave_out_gone(snapshot, vertices);
}

Result<std::vector<Seen>> seen_keywords(View const& view, std::set<std::string> const& terms, schema::Poll& poll,
                                        std::vector<GoneNode>& gone) {
  std::vector<VertexId> keywords;
  for (std::string const& term : terms) {
    if (auto const keyword = view.snapshot.find(RecordType::keyword, term)) keywords.push_back(*keyword);
  }
  take_gone(view.snapshot, keywords, gone);
  std::vector<Seen> seen;
  auto const read = read_those_there(view, keywords, [&](std::size_t, schema::Record&& record) {
    auto& keyword = std::get<schema::Keyword>(record);
    seen.push_back({keyword.last_seen, std::move(keyword.term)});
    return !poll.must_stop(8);
  });
  if (poll.has_stopped()) return poll.error();
  if (!read) return read.error();
  return seen;
}

}  // namespace

Result<XmlContext> xml_context(View const& view, XmlContextParams const& params, Budget const& budget) {
  auto const& snapshot = view.snapshot;
  auto const topic = resolve(snapshot, {RecordType::topic, params.topic_id}, "/topicId");
  if (!topic) return topic.error();
  schema::Poll poll(budget.interrupt);
  auto found = subjects_of_topic(snapshot, params.topic_id, poll);
  if (!found) return found.error();
  auto gone = gone_among(snapshot, {*topic}, gone_max);
  take_gone(snapshot, *found, gone);

  std::vector<Seen> subjects;
  std::set<std::string> terms;
  auto const read = read_those_there(view, *found, [&](std::size_t, schema::Record&& record) {
    auto& subject = std::get<schema::Subject>(record);
    if (subject.archived) return true;
    subjects.push_back({subject.last_seen_at, subject.name ? std::move(*subject.name) : std::move(subject.id)});
    for (auto& term : subject.keywords) terms.insert(std::move(term));
    return !poll.must_stop(8);
  });
  if (poll.has_stopped()) return poll.error();
  if (!read) return read.error();
  auto keywords = seen_keywords(view, terms, poll, gone);
  if (!keywords) return keywords.error();
  return XmlContext{{.topic_id = params.topic_id,
                     .message_count = count_messages(snapshot, *topic),
                     .active_subjects = latest(std::move(subjects), schema::xml::active_subjects_max),
                     .recent_keywords = latest(*std::move(keywords), schema::xml::recent_keywords_max)},
                    std::move(gone)};
}

}  // namespace whence::queries
