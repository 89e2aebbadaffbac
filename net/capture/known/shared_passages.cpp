// Passages are the same by their folded texts. The tool's record of one that a retriever below it found is not written.
// Where it was written before the retriever's span came it is deleted, with its document and query where nothing else
// needs these.

#include "net/capture/known/shared_passages.hpp"

#include "graph/snapshot/records.hpp"
#include "net/capture/known/users.hpp"
#include "net/capture/trace/record_texts.hpp"
#include "net/capture/trace/refs.hpp"
#include "net/plain_text/sought_texts.hpp"
#include "schema/records/retrieval/records.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

namespace whence::net::capture {

using schema::NodeRef;
using schema::RecordType;

namespace {

/// How many spans around a retrieval are asked whether they are a tool with its passages.
constexpr std::size_t around_retrieval_max = 256;

/// How many tools around a retrieval are compared with it: client and server of MCP, and what calls them.
constexpr std::size_t enclosing_tools_max = 8;

}  // namespace

std::map<std::string, std::vector<std::string>> const& SharedPassages::retrievals_in(std::string const& trace) {
  auto const [at, is_new] = retrievals_.try_emplace(trace);
  if (!is_new) return at->second;
  auto const& spans = all_.states.at(trace).spans;
  for (auto const& [span, facts] : spans) {
    if (facts.kind != Kind::retrieval || facts.chunks.empty()) continue;
    auto outer = spans.find(facts.parent);
    std::size_t tools = 0;
    for (std::size_t i = 0; outer != spans.end() && i < around_retrieval_max && tools < enclosing_tools_max; ++i) {
      if (outer->second.is_agent) break;
      bool const has_passages = outer->second.kind == Kind::tool && !outer->second.chunks.empty();
      if (has_passages) at->second[outer->first].push_back(span);
      if (has_passages) ++tools;
      outer = spans.find(outer->second.parent);
    }
  }
  return at->second;
}

Result<SharedPassages::Texts> SharedPassages::texts_of(SpanName const& name) const {
  Texts texts;
  if (auto const fresh = all_.fresh.find(name); fresh != all_.fresh.end()) {
    for (auto& [id, text] : passages_of(all_.key, *fresh->second))
      texts.emplace(std::move(id), plain_text::folded(text));
    std::erase_if(texts, [](auto const& each) { return each.second.empty(); });
    return texts;
  }
  std::vector<schema::VertexId> vertices;
  for (auto const& id : all_.find(name)->chunks) {
    auto const vertex = all_.snapshot.find(RecordType::retrieved_chunk, id);
    if (vertex && !all_.snapshot.gone(*vertex)) vertices.push_back(*vertex);
  }
  auto const read =
      graph::read_those_there(all_.snapshot, all_.reader, vertices, [&](std::size_t, schema::Record&& record) {
        auto const* const chunk = std::get_if<schema::RetrievedChunk>(&record);
        if (chunk != nullptr) texts.emplace(chunk->chunk_id, plain_text::folded(chunk->content));
        return true;
      });
  if (!read) return read.error();
  return texts;
}

Result<std::set<std::string>> SharedPassages::found_below(SpanName const& tool) {
  std::set<std::string> repeated;
  auto const& within = retrievals_in(tool.trace);
  auto const retrievals = within.find(tool.span);
  if (retrievals == within.end()) return repeated;
  auto const own = texts_of(tool);
  if (!own) return own.error();
  if (own->empty()) return repeated;
  std::set<std::string> ids;
  std::set<std::string> found;
  for (auto const& span : retrievals->second) {
    auto const texts = texts_of({tool.trace, span});
    if (!texts) return texts.error();
    for (auto const& [id, text] : *texts) {
      ids.insert(id);
      found.insert(text);
    }
  }
  for (auto const& [id, text] : *own) {
    if (found.contains(text) && !ids.contains(id)) repeated.insert(id);
  }
  return repeated;
}

Result<void> SharedPassages::remove_from(std::string const& trace) {
  for (auto const& [span, retrievals] : retrievals_in(trace)) {
    SpanName const tool{trace, span};
    if (all_.fresh.contains(tool)) continue;  // it has no record of them
    auto const repeated = found_below(tool);
    if (!repeated) return repeated.error();
    if (auto removed = remove(tool, *repeated); !removed) return removed;
  }
  return {};
}

Result<void> SharedPassages::remove(SpanName const& tool, std::set<std::string> const& repeated) {
  if (repeated.empty()) return {};
  auto const query = passages_ref(tool);
  if (repeated.size() == all_.find(tool)->chunks.size()) erase(query);
  for (auto const& id : repeated) {
    NodeRef const ref{RecordType::retrieved_chunk, id};
    auto const vertex = all_.snapshot.find(ref.type, ref.id);
    if (!vertex || is_written(ref)) continue;
    auto const causes = all_.snapshot.causes(*vertex);
    std::vector<NodeRef> documents;
    bool is_of_others = all_.snapshot.relations_to(*vertex).size() > 0;
    for (std::size_t i = 0; i < causes.size(); ++i) {
      NodeRef cause{all_.snapshot.type(causes.vertices[i]), std::string(all_.snapshot.id(causes.vertices[i]))};
      is_of_others = is_of_others || (cause.type == RecordType::query && cause != query);
      if (cause.type != RecordType::document) continue;
      bool const is_alone = all_.snapshot.effects(causes.vertices[i]).size() == 1 &&
                            all_.snapshot.causes(causes.vertices[i]).size() == 0 &&
                            all_.snapshot.relations_to(causes.vertices[i]).size() == 0;
      if (is_alone && !is_written(cause)) documents.push_back(std::move(cause));
    }
    if (is_of_others) continue;
    if (auto touched = touch_users(all_, *vertex); !touched) return touched;
    erase(ref);
    for (auto const& document : documents) erase(document);
  }
  return {};
}

bool SharedPassages::is_written(NodeRef const& ref) {
  for (; noted_ < all_.out.records.size(); ++noted_) {
    auto const* const chunk = std::get_if<schema::RetrievedChunk>(&all_.out.records[noted_].record);
    if (chunk == nullptr) continue;
    written_.emplace(RecordType::retrieved_chunk, chunk->chunk_id);
    written_.emplace(RecordType::document, chunk->metadata.document_name);
  }
  return written_.contains({ref.type, ref.id});
}

void SharedPassages::erase(NodeRef const& ref) {
  auto const vertex = all_.snapshot.find(ref.type, ref.id);
  if (!vertex || all_.snapshot.gone(*vertex) || !all_.deleted.insert(schema::format_ref(ref)).second) return;
  all_.out.deletes.push_back(ref);
}

}  // namespace whence::net::capture
