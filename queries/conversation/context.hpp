#pragma once
// xml.context: what the next llm-query of a conversation states about it.

#include "queries/conversation/params.hpp"
#include "queries/view/gone.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/xml/parts.hpp"

#include <vector>

namespace whence::queries {

struct XmlContext {
  schema::QueryContext context;
  std::vector<GoneNode> gone = {};  ///< what may be missing in it
};

/// The number of the topic's messages; the names of its subjects that are not archived (the id where one has no name),
/// the last seen first; the terms of their keywords, the last seen first. Ties in order of text; as many as a document
/// may have; what cannot be an item of its lists is left out. The topic, subjects and keywords that are gone are named,
/// the first 1,000. Fails with `not_found` at "/topicId", with `corrupt`, or
/// as the interrupt says. O(subjects of all topics) and a read of each of the topic's, and of their keywords.
[[nodiscard]] Result<XmlContext> xml_context(View const& view, XmlContextParams const& params, Budget const& budget);

}  // namespace whence::queries
