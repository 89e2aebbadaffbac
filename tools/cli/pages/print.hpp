#pragma once
// Printing the parts of a page. Each prints nothing where its answer has nothing.

#include "tools/cli/pages/page.hpp"

namespace whence::tools {

void print_act(PageNode const& node, boost::json::object const& answer, Io& io);         ///< of `rag.get`
void print_sources(PageNode const& node, boost::json::object const& answer, Io& io);     ///< of `lineage.influence`
void print_uses(PageNode const& node, boost::json::object const& answer, Io& io);        ///< of `lineage.graph`, down
void print_neighbours(PageNode const& node, boost::json::object const& answer, Io& io);  ///< of `lineage.graph`
void print_impact(PageNode const& node, boost::json::object const& answer, Io& io);      ///< of `impact.analyze`
void print_ratings(PageNode const& node, boost::json::object const& answer, Io& io);     ///< of `feedback.list`
void print_versions(PageNode const& node, boost::json::object const& answer, Io& io);    ///< of `versions.list`
void print_history(PageNode const& node, boost::json::object const& answer, Io& io);     ///< of `history.get`
void print_messages(PageNode const& node, boost::json::object const& answer, Io& io);  ///< of `node.find`, newest first
void print_subjects(PageNode const& node, boost::json::object const& answer, Io& io);  ///< of `node.find`, as the next
void print_keywords(PageNode const& node, boost::json::object const& answer, Io& io);
void print_summaries(PageNode const& node, boost::json::object const& answer, Io& io);    ///< newest first
void print_attachments(PageNode const& node, boost::json::object const& answer, Io& io);  ///< of `attachment.list`
void print_xml(PageNode const& node, boost::json::object const& answer, Io& io);          ///< of `attachment.get`
void print_discussion(PageNode const& node, boost::json::object const& answer, Io& io);   ///< of `discussion.get`
void print_rounds(PageNode const& node, boost::json::object const& answer, Io& io);  ///< of `node.find`, newest first
void print_round_summaries(PageNode const& node, boost::json::object const& answer, Io& io);  ///< of `node.find`

}  // namespace whence::tools
