#pragma once
// Printing results as tables, one function per kind of result. Each prints a result object to `io.data`; missing
// members leave an empty cell, so that answers of other server versions still print.

#include "tools/cli/process/io.hpp"

#include <boost/json/object.hpp>

namespace whence::tools {

void show_records(boost::json::object const& result, Io& io);  ///< nodes with all members of their records
void show_found(boost::json::object const& result, Io& io);    ///< nodes, one line each
void show_matches(boost::json::object const& result, Io& io);  ///< what a search found, a piece of a text of each
void show_versions(boost::json::object const& result, Io& io);
void show_count(boost::json::object const& result, Io& io);
void show_lineage(boost::json::object const& result, Io& io);
void show_graph(boost::json::object const& result, Io& io);
void show_paths(boost::json::object const& result, Io& io);
void show_influence(boost::json::object const& result, Io& io);
void show_impact(boost::json::object const& result, Io& io);
void show_blame(boost::json::object const& result, Io& io);
void show_without(boost::json::object const& result, Io& io);
void show_stale(boost::json::object const& result, Io& io);
void show_diff(boost::json::object const& result, Io& io);
void show_history(boost::json::object const& result, Io& io);
void show_feedback(boost::json::object const& result, Io& io);
void show_manifest(boost::json::object const& result, Io& io);
void show_context(boost::json::object const& result, Io& io);
void show_prompt(boost::json::object const& result, Io& io);  ///< line by line, with control characters escaped
void show_tokens(boost::json::object const& result, Io& io);
void show_answer(boost::json::object const& result, Io& io);  ///< question, answer and the chunks it was made from
void show_stats(boost::json::object const& result, Io& io);
void show_verification(boost::json::object const& result, Io& io);

}  // namespace whence::tools
