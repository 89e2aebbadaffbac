#include "engine/impl/candidates.hpp"

#include <cassert>
#include <utility>

namespace whence::engine {
namespace {

using schema::LineageManifest;
using schema::RecordType;

schema::Response response_of(LineageManifest const& manifest) {
  schema::Response response{.id = manifest.response_id,
                            .timestamp = manifest.timestamp,
                            .agent = manifest.agent,
                            .model = manifest.model,
                            .token_count = manifest.token_count,
                            .attributes = manifest.attributes};
  response.context_units.reserve(manifest.context_tree.size());
  for (auto const& node : manifest.context_tree) response.context_units.push_back({node.id, node.weight});
  return response;
}

/// What a manifest says of a unit that nobody recorded: a first version, as old as the manifest.
schema::ContextUnit unit_of(schema::ManifestNode const& node, schema::Time timestamp) {
  return {.id = node.id,
          .type = node.type,
          .source = node.source,
          .timestamp = timestamp,
          .embedding_id = node.embedding_id,
          .summary = node.summary};
}

void make_id(schema::Record& record, IdSource& ids) {
  auto const prefix = schema::info(schema::type_of(record)).made_prefix;
  if (prefix.empty() || !schema::node_id_of(record).empty()) return;
  schema::set_node_id(record, std::string(prefix) + ids.uuid());
}

}  // namespace

Candidates::Candidates(WriteBatch& batch, graph::Snapshot const& known, IdSource& ids) : known_(known) {
  first_.reserve(batch.records.size());
  take_given(batch, ids);
  for (std::uint32_t i = 0; i < batch.records.size(); ++i) {
    auto const& given = batch.records[i];
    if (!given.is_usable) continue;
    if (auto const* manifest = std::get_if<LineageManifest>(&given.record)) derive_units(*manifest, i);
    if (batch.ensure) {
      auto const* message = std::get_if<schema::Message>(&given.record);
      if (message != nullptr) derive_topic(message->topic_id, i);
      auto const* attachment = std::get_if<schema::XmlMessageAttachment>(&given.record);
      if (attachment != nullptr) derive_message(*attachment, i);
    }
    settle(i);
  }
}

/// All given ids are known before anything is derived, since a later record may be what an earlier one needs.
void Candidates::take_given(WriteBatch& batch, IdSource& ids) {
  all_.reserve(batch.records.size());
  for (std::uint32_t i = 0; i < batch.records.size(); ++i) {
    auto& given = batch.records[i];
    auto& candidate = all_.emplace_back();
    candidate.index = i;
    candidate.has_field_errors = !given.violations.empty();
    if (!given.is_usable) continue;
    candidate.record = &given.record;
    if (auto const* manifest = std::get_if<LineageManifest>(&given.record)) {
      candidate.origin = Origin::manifest;
      candidate.record = &made_.emplace_back(response_of(*manifest));
    } else {
      make_id(given.record, ids);
    }
    name(candidate);
    announce(i);
  }
}

void Candidates::name(Candidate& candidate) {
  candidate.id = names_.emplace_back(schema::node_id_of(*candidate.record));
}

void Candidates::announce(std::uint32_t candidate) {
  auto const& announced = all_[candidate];
  first_.try_emplace({schema::type_of(*announced.record), announced.id}, candidate);
}

/// Decides whether a candidate is new. Candidates are settled in the order in which new ones are numbered.
void Candidates::settle(std::uint32_t candidate) {
  auto& settled = all_[candidate];
  Key const key{schema::type_of(*settled.record), settled.id};
  if (auto const existing = known_.find(key.type, key.id)) {
    settled.vertex = *existing;
    return;
  }
  auto const first = first_.at(key);
  settled.is_new = first == candidate;
  if (settled.is_new) {
    settled.vertex = VertexId{known_.vertex_count() + static_cast<std::uint32_t>(new_.size())};
    new_.push_back(candidate);
  } else {
    settled.vertex = all_[first].vertex;
  }
}

void Candidates::derive(schema::Record record, std::uint32_t index) {
  auto const id = schema::node_id_of(record);
  Key const key{schema::type_of(record), id};
  if (first_.contains(key) || known_.find(key.type, key.id)) return;
  auto const candidate = static_cast<std::uint32_t>(all_.size());
  bool const has_field_errors = all_[index].has_field_errors;
  all_.push_back({.record = &made_.emplace_back(std::move(record)),
                  .index = index,
                  .origin = Origin::derived,
                  .has_field_errors = has_field_errors});
  name(all_.back());
  announce(candidate);
  settle(candidate);
}

void Candidates::derive_units(LineageManifest const& manifest, std::uint32_t index) {
  for (auto const& node : manifest.context_tree) derive(unit_of(node, manifest.timestamp), index);
}

void Candidates::derive_topic(std::string const& topic_id, std::uint32_t index) {
  derive(schema::Topic{.id = topic_id}, index);
}

void Candidates::derive_message(schema::XmlMessageAttachment const& attachment, std::uint32_t index) {
  derive_topic(attachment.topic_id, index);
  derive(schema::Message{.id = attachment.message_id, .topic_id = attachment.topic_id}, index);
}

std::optional<VertexId> Candidates::find(RecordType type, std::string_view id) const {
  if (auto const existing = known_.find(type, id)) return existing;
  auto const proposal = first_.find({type, id});
  if (proposal == first_.end()) return std::nullopt;
  return all_[proposal->second].vertex;
}

Candidate const* Candidates::proposed(VertexId vertex) const {
  if (known_.contains(vertex)) return nullptr;
  auto const position = schema::number(vertex) - known_.vertex_count();
  assert(position < new_.size());
  return &nth_new(position);
}

}  // namespace whence::engine
