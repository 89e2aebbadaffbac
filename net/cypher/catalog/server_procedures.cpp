// The server as tools of Neo4j ask for it.

#include "net/cypher/catalog/server_procedures.hpp"

#include "queries/cypher/state/run_options.hpp"

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace whence::net {

namespace {

namespace cypher = queries::cypher;
using cypher::List;
using cypher::Value;

using Rows = std::vector<List>;
using RowsOfCall = cypher::Outcome<std::unique_ptr<cypher::ProcedureRows>>;
using Columns = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// A procedure whose rows depend on who asks, and on its arguments.
cypher::Procedure of_caller(std::string name, Columns columns, std::string doc,
                            std::function<Rows(cypher::Caller const*, List const&)> rows) {
  cypher::Procedure made{
      .name = std::move(name),
      .parameters = {},
      .columns = {},
      .call = [rows = std::move(rows)](cypher::ProcedureContext const& context, List const& arguments) -> RowsOfCall {
        return cypher::rows_of(rows(context.caller, arguments));
      },
      .doc = std::move(doc),
      .rows_estimate = 1};
  for (auto const& [column, type] : columns)
    made.columns.push_back({.name = std::string{column}, .type = std::string{type}, .doc = {}});
  return made;
}

Value user_of(cypher::Caller const& caller) {
  return caller.user.empty() ? Value{} : Value{caller.user};
}

List database_row(std::string const& name, bool is_home) {
  constexpr char const* status = "online";
  List row{name,   "standard", List{}, "read-only", Value{}, "primary", false,
           status, status,     "",     is_home,     is_home, List{}};
  // From databaseID to options: not known.
  constexpr std::size_t unknown = 13;
  row.resize(row.size() + unknown);
  return row;
}

cypher::Procedure databases() {
  auto const rows = [](cypher::Caller const* caller, List const& arguments) {
    Rows made;
    if (caller == nullptr) return made;
    auto const* const name = arguments[0].find_text();
    auto const* const home_only = arguments[1].find_bool();
    for (auto const& each : caller->databases) {
      bool const is_home = each == caller->home;
      if (name != nullptr && *name != each) continue;
      if (home_only != nullptr && *home_only && !is_home) continue;
      made.push_back(database_row(each, is_home));
    }
    return made;
  };
  auto made = of_caller("dbms.databases",
                        {{"name", "STRING"},
                         {"type", "STRING"},
                         {"aliases", "LIST"},
                         {"access", "STRING"},
                         {"address", "STRING"},
                         {"role", "STRING"},
                         {"writer", "BOOLEAN"},
                         {"requestedStatus", "STRING"},
                         {"currentStatus", "STRING"},
                         {"statusMessage", "STRING"},
                         {"default", "BOOLEAN"},
                         {"home", "BOOLEAN"},
                         {"constituents", "LIST"},
                         {"databaseID", "STRING"},
                         {"serverID", "STRING"},
                         {"requestedPrimariesCount", "INTEGER"},
                         {"requestedSecondariesCount", "INTEGER"},
                         {"currentPrimariesCount", "INTEGER"},
                         {"currentSecondariesCount", "INTEGER"},
                         {"creationTime", "DATETIME"},
                         {"lastStartTime", "DATETIME"},
                         {"lastStopTime", "DATETIME"},
                         {"store", "STRING"},
                         {"lastCommittedTxn", "INTEGER"},
                         {"replicationLag", "INTEGER"},
                         {"options", "MAP"}},
                        "The databases that the caller may name.", rows);
  made.parameters = {
      {.name = "name", .type = "STRING", .is_optional = true, .doc = "Only this one."},
      {.name = "home", .type = "BOOLEAN", .is_optional = true, .doc = "Only that asked without a name."}};
  return made;
}

cypher::Procedure current_user() {
  auto const rows = [](cypher::Caller const* caller, List const& /*arguments*/) {
    Rows made;
    if (caller == nullptr) return made;
    auto const home = caller->home.empty() ? Value{} : Value{caller->home};
    made.push_back({user_of(*caller), List{caller->role}, false, false, home});
    return made;
  };
  return of_caller("dbms.currentUser",
                   {{"user", "STRING"},
                    {"roles", "LIST"},
                    {"passwordChangeRequired", "BOOLEAN"},
                    {"suspended", "BOOLEAN"},
                    {"home", "STRING"}},
                   "What the caller's credential is called, and its role.", rows);
}

/// As it was called before Neo4j 5.
cypher::Procedure shown_user() {
  auto const rows = [](cypher::Caller const* caller, List const& /*arguments*/) {
    Rows made;
    if (caller != nullptr) made.push_back({user_of(*caller), List{caller->role}, List{}});
    return made;
  };
  return of_caller("dbms.showCurrentUser", {{"username", "STRING"}, {"roles", "LIST"}, {"flags", "LIST"}},
                   "What the caller's credential is called, and its role.", rows);
}

cypher::Procedure client_config() {
  auto const rows = [](cypher::Caller const* caller, List const& /*arguments*/) {
    Rows made;
    made.push_back({"server.databases.default_to_read_only", "Queries only read.", "true", false});
    if (caller != nullptr && !caller->home.empty())
      made.push_back({"initial.dbms.default_database", "The database without a name.", caller->home, false});
    return made;
  };
  return of_caller("dbms.clientConfig",
                   {{"name", "STRING"}, {"description", "STRING"}, {"value", "STRING"}, {"dynamic", "BOOLEAN"}},
                   "The settings that tools ask for.", rows);
}

cypher::Procedure ping() {
  auto const rows = [](cypher::Caller const* /*caller*/, List const& /*arguments*/) {
    Rows made;
    made.push_back({true});
    return made;
  };
  return of_caller("db.ping", {{"success", "BOOLEAN"}}, "Answers.", rows);
}

}  // namespace

std::vector<cypher::Procedure> server_procedures() {
  std::vector<cypher::Procedure> made;
  made.reserve(5);
  made.push_back(databases());
  made.push_back(current_user());
  made.push_back(shown_user());
  made.push_back(client_config());
  made.push_back(ping());
  return made;
}

}  // namespace whence::net
