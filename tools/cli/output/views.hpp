#pragma once
// How each method's result looks to people. Every function prints one result object to `io.data`; members that are
// missing leave an empty cell, so that a newer server's answers still show.

#include "tools/cli/io.hpp"

#include <boost/json/object.hpp>

namespace whence::tools {

void show_records(boost::json::object const& result, Io& io);  ///< nodes with all members of their records
void show_found(boost::json::object const& result, Io& io);    ///< nodes, one line each
void show_versions(boost::json::object const& result, Io& io);
void show_count(boost::json::object const& result, Io& io);
void show_lineage(boost::json::object const& result, Io& io);
void show_graph(boost::json::object const& result, Io& io);
void show_paths(boost::json::object const& result, Io& io);
void show_influence(boost::json::object const& result, Io& io);
void show_impact(boost::json::object const& result, Io& io);
void show_blame(boost::json::object const& result, Io& io);
void show_diff(boost::json::object const& result, Io& io);
void show_history(boost::json::object const& result, Io& io);
void show_feedback(boost::json::object const& result, Io& io);
void show_manifest(boost::json::object const& result, Io& io);
/// A tree from what was traced (`params`) to the context units; sources that are deleted stand in it, marked.
void show_trace(boost::json::object const& params, boost::json::object const& result, Io& io);
void show_context(boost::json::object const& result, Io& io);
void show_prompt(boost::json::object const& result, Io& io);  ///< line by line, escaped as a terminal needs it
void show_tokens(boost::json::object const& result, Io& io);
void show_answer(boost::json::object const& result, Io& io);  ///< question, answer and the chunks it was made from
void show_stats(boost::json::object const& result, Io& io);
void show_verification(boost::json::object const& result, Io& io);

}  // namespace whence::tools
