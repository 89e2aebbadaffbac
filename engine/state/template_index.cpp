// Both names of a template are in its id, so no record is read.

#include "engine/state/template_index.hpp"

#include <utility>
#include <variant>

namespace whence::engine {

using schema::RecordType;
using schema::SystemPromptTemplate;

Result<std::set<std::int64_t> const*> TemplateIndex::versions_of(std::string const& model, Source const& source) {
  if (auto const made = make_once(source); !made) return made.error();
  return &versions_[model];
}

Result<void> TemplateIndex::make(Source const& source) {
  for (auto const vertex : source.known.vertices(RecordType::system_prompt_template)) add(source.known.id(vertex));
  return {};
}

void TemplateIndex::take(Written const& written) {
  bool const is_template = std::holds_alternative<SystemPromptTemplate>(written.record);
  if (is_made() && written.is_new && is_template) add(written.known.id(written.vertex));
}

void TemplateIndex::add(std::string_view id) {
  schema::Record blank = SystemPromptTemplate{};
  schema::set_node_id(blank, id);
  auto& named = std::get<SystemPromptTemplate>(blank);
  versions_[std::move(named.model_id)].insert(named.version);
}

}  // namespace whence::engine
