# Debian packages, by `cpack` (docs/install.md): one a component of the install rules. What stands here is installed by them alone.
set(package_robotalk robotalk)
set(package_library librobotalk${PROJECT_VERSION_MAJOR})
set(package_development librobotalk-dev)
set(package_python python3-robotalk)
set(components robotalk library development python)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The robotalk authors <maintainers@robotalk.example>") # no address for mail yet
set(out ${CMAKE_BINARY_DIR}/packages)
file(MAKE_DIRECTORY ${out})

# ---- files of the system ----
add_custom_command(OUTPUT ${out}/changelog.gz
  COMMAND ${LUA} packages/changelog.lua CHANGELOG.md ${CPACK_DEBIAN_PACKAGE_MAINTAINER} > ${out}/changelog
  COMMAND gzip -9nf ${out}/changelog
  DEPENDS packages/changelog.lua CHANGELOG.md WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} VERBATIM)
add_custom_target(changelog ALL DEPENDS ${out}/changelog.gz)
foreach(component ${components})
  set(package ${package_${component}})
  install(FILES packages/copyright ${out}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
  if(EXISTS ${CMAKE_SOURCE_DIR}/packages/overrides/${component})
    install(FILES packages/overrides/${component} DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${package}
      COMPONENT ${component} EXCLUDE_FROM_ALL)
  endif()
endforeach()
install(FILES packages/robotalk/robotalk.service DESTINATION lib/systemd/system EXCLUDE_FROM_ALL)
install(FILES packages/robotalk/60-robotalk.rules DESTINATION lib/udev/rules.d EXCLUDE_FROM_ALL)
install(DIRECTORY DESTINATION /etc/robotalk EXCLUDE_FROM_ALL)
file(GLOB python_files CONFIGURE_DEPENDS bindings/python/robotalk/*.py bindings/python/robotalk/*.pyi bindings/python/robotalk/py.typed)
install(FILES ${python_files} DESTINATION lib/python3/dist-packages/robotalk COMPONENT python EXCLUDE_FROM_ALL)

# ---- what the program loads when it is used: in the sources, "libNAME.so.N" stands before the package that has it ----
function(loaded variable)
  set(packages libjpeg62-turbo libgl1-mesa-dri) # the sources have several names of the one, and EGL loads the other
  foreach(source ${ARGN})
    file(STRINGS ${source} lines REGEX "\"lib[A-Za-z0-9]+[.]so[.0-9a-z]+\", \"[a-z0-9.-]+\"[,)]")
    foreach(line ${lines})
      string(REGEX REPLACE ".*\"lib[A-Za-z0-9]+[.]so[.0-9a-z]+\", \"([a-z0-9.-]+)\"[,)].*" "\\1" package "${line}")
      list(APPEND packages ${package})
    endforeach()
  endforeach()
  list(FILTER packages EXCLUDE REGEX "[.]so")
  list(SORT packages)
  list(JOIN packages ", " packages)
  set(${variable} ${packages} PARENT_SCOPE)
endfunction()
loaded(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS ${core_sources} ${net_sources} ${driver_sources})
loaded(CPACK_DEBIAN_ROBOTALK_PACKAGE_RECOMMENDS ${core_sources} ${net_sources} ${driver_sources} ${lua_sources})

# ---- the packages ----
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_SET_DESTDIR ON) # install rules see the folder in which the files will be
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON) # of the same version
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
set(CPACK_COMPONENT_PYTHON_DEPENDS library)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.11)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "robotalk, python3-numpy")

macro(package component section what contents)
  string(TOUPPER ${component} name)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${package_${component}})
  set(CPACK_DEBIAN_${name}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${name}_DESCRIPTION "scriptable robot runtime${what}
robotalk executes time-stamped motion commands on time: a stop always
holds, and robots, drivers and behaviours are Lua scripts.
This package has ${contents}.")
  file(GLOB CPACK_DEBIAN_${name}_PACKAGE_CONTROL_EXTRA CONFIGURE_DEPENDS
    packages/${component}/post* packages/${component}/pre* packages/${component}/triggers)
  if(NOT "${component}" STREQUAL robotalk)
    set(CPACK_DEBIAN_${name}_PACKAGE_SOURCE robotalk)
  endif()
endmacro()
package(robotalk electronics "" "the program: simulated robots, drivers, a server and a prompt")
package(library libs " - shared library" "the library, for C, Python and LuaJIT")
package(development libdevel " - headers" "the headers and a client for LuaJIT")
package(python python " - Python package" "the client for Python")

# the same tree makes the same packages: their files are of the day of the version
file(STRINGS CHANGELOG.md day REGEX "^## ${PROJECT_VERSION}, ")
string(REGEX REPLACE ".*, " "" day "${day}")
if(NOT day)
  message(FATAL_ERROR "CHANGELOG.md: want a section of version ${PROJECT_VERSION}")
endif()
execute_process(COMMAND date -u -d "${day}" +%s OUTPUT_VARIABLE epoch OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(CONFIGURE OUTPUT ${out}/epoch.cmake CONTENT "set(ENV{SOURCE_DATE_EPOCH} ${epoch})\n")
set(CPACK_PROJECT_CONFIG_FILE ${out}/epoch.cmake)
include(CPack)
