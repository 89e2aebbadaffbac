#pragma once
// The code that differs between record types: overloads in the folder of the type, included from here where any record
// is handled. All of them are optional; without one the default holds.
//
// overload                                      used by              default
// std::string node_id(T const&)                 records.cpp          the member `T::id_member`, else `id`
// void set_node_id(T&, std::string_view)        records.cpp          the same member; else `T::members_in_id` names
// what it sets void fold_into(T&, T&&)                       record_reader.cpp    the later revision replaces the
// record void prepare(T&, CheckContext const&)         check.cpp            nothing void check_joined(T const&, ...)
// check.cpp            nothing std::vector<Link> links(T const&)             edges/links.cpp      no edges void
// check_json(T const&, ...)                json/codec.cpp       nothing (context/json.hpp has the only ones)

#include "schema/records/context/rules.hpp"
#include "schema/records/conversation/rules.hpp"
#include "schema/records/discussion/rules.hpp"
#include "schema/records/prov/rules.hpp"
#include "schema/records/retrieval/rules.hpp"
