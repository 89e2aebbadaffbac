#pragma once
// The field tables of all records. Adding a member to a record is one line in its struct, one in its field table, and
// its stored form (a field in the .capnp file and two lines in the stored.cpp beside it).

#include "schema/records/context/fields.hpp"
#include "schema/records/conversation/fields.hpp"
#include "schema/records/discussion/fields.hpp"
#include "schema/records/prov/fields.hpp"
#include "schema/records/retrieval/fields.hpp"
