// Subjects by name are read at the first question, all at once. A topic's latest response is looked for at the first
// question about that topic, and followed from then on. Of several subjects of one name the first one is found.

#include "engine/state/topic_index.hpp"

#include "schema/types/ref.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace whence::engine {

using schema::RecordType;
using schema::VertexId;

namespace {

/// The attachments of a topic's messages, last written first.
std::vector<VertexId> attachments_of(graph::Snapshot const& known, VertexId topic) {
  std::vector<VertexId> found;
  for (auto const message : known.relations_to_ever(topic).vertices) {
    if (known.type(message) != RecordType::message) continue;
    for (auto const vertex : known.relations_to_ever(message).vertices) {
      if (known.type(vertex) == RecordType::xml_message_attachment) found.push_back(vertex);
    }
  }
  std::ranges::sort(found, std::greater{});
  return found;
}

}  // namespace

Result<std::optional<VertexId>> TopicIndex::find_subject(std::string_view topic, std::string_view name,
                                                         Source const& source) {
  if (auto const made = make_once(source); !made) return made.error();
  auto const found = subjects_.find(schema::join_key({topic, name}));
  return found == subjects_.end() ? std::nullopt : std::optional{found->second};
}

Result<void> TopicIndex::make(Source const& source) {
  return for_each_record(source.known.vertices(RecordType::subject), source,
                         [this](VertexId vertex, schema::Record const& record) { add(vertex, record); });
}

Result<std::optional<VertexId>> TopicIndex::last_response(std::string_view topic, graph::Snapshot const& known,
                                                          Contents& contents) {
  auto const [entry, is_new] = last_responses_.try_emplace(std::string(topic));
  if (!is_new) return entry->second;
  auto const vertex = known.find(RecordType::topic, topic);
  if (!vertex) return entry->second;
  for (auto const attachment : attachments_of(known, *vertex)) {
    auto const record = contents.fetch_one(attachment);
    if (!record) {
      last_responses_.erase(entry);
      return record.error();
    }
    if (*record == nullptr) continue;
    if (std::get<schema::XmlMessageAttachment>(**record).format != schema::XmlFormat::llm_response) continue;
    entry->second = attachment;
    break;
  }
  return entry->second;
}

/// Latest responses are made for each topic by itself, so they are followed from the beginning.
void TopicIndex::take(Written const& written) {
  add(written.vertex, written.record);
}

void TopicIndex::drop_deleted(VertexId vertex, graph::Snapshot const& /*known*/) {
  drop(vertex);
}

void TopicIndex::drop_gone(VertexId vertex) {
  drop(vertex);
}

void TopicIndex::add(VertexId vertex, schema::Record const& record) {
  if (auto const* subject = std::get_if<schema::Subject>(&record)) {
    drop(vertex);
    if (!subject->name) return;
    auto key = schema::join_key({subject->topic, *subject->name});
    if (subjects_.try_emplace(key, vertex).second) names_.insert_or_assign(schema::number(vertex), std::move(key));
  } else if (auto const* attachment = std::get_if<schema::XmlMessageAttachment>(&record)) {
    if (attachment->format != schema::XmlFormat::llm_response) return;
    auto const known = last_responses_.find(attachment->topic_id);
    if (known != last_responses_.end()) known->second = vertex;
  }
}

void TopicIndex::drop(VertexId vertex) {
  auto const named = names_.find(schema::number(vertex));
  if (named == names_.end()) return;
  subjects_.erase(named->second);
  names_.erase(named);
}

void TopicIndex::forget() {
  subjects_.clear();
  names_.clear();
  last_responses_.clear();
}

}  // namespace whence::engine
