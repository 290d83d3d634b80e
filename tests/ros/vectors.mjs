// Makes tests/ros/vectors.txt again: `node vectors.mjs <vectors.txt >new`, beside node_modules with @foxglove/cdr 3.5.0, @foxglove/rosmsg 5,
// @foxglove/rosmsg-msgs-common 3.2.3 and @foxglove/rosmsg2-serialization 3.1.0. A vector is three lines: type, JSON, bytes in hex, which are theirs
// whatever was there; NaN is null, octets are base64. "big" before a type: big-endian.
import { readFileSync } from "node:fs"
import { parse } from "@foxglove/rosmsg"
import { CdrWriter, EncapsulationKind } from "@foxglove/cdr"
import { MessageWriter } from "@foxglove/rosmsg2-serialization"
import { ros2jazzy, ros2humble } from "@foxglove/rosmsg-msgs-common"

// what the package lacks, by the definitions of control_msgs 5.8 and 6.8, action_msgs, std_srvs and rmw_dds_common
const FOLLOW = "control_msgs/FollowJointTrajectory_", UUID = "unique_identifier_msgs/UUID"
const point = "trajectory_msgs/JointTrajectoryPoint", multi = "trajectory_msgs/MultiDOFJointTrajectoryPoint"
const feedback = (one, two) => `std_msgs/Header header\nstring[] joint_names\n${point} desired\n${point} actual\n${point} error\n${one}
string[] multi_dof_joint_names\n${multi} multi_dof_desired\n${multi} multi_dof_actual\n${multi} multi_dof_error\n${two}`
const texts = {
  "std_srvs/Trigger_Request": "",
  "std_srvs/Trigger_Response": "bool success\nstring message",
  "action_msgs/CancelGoal_Request": "action_msgs/GoalInfo goal_info",
  "action_msgs/CancelGoal_Response": "int8 return_code\naction_msgs/GoalInfo[] goals_canceling",
  "control_msgs/JointTolerance": "string name\nfloat64 position\nfloat64 velocity\nfloat64 acceleration",
  "control_msgs/JointComponentTolerance": "string joint_name\nuint16 component\nfloat64 position\nfloat64 velocity\nfloat64 acceleration",
  [FOLLOW + "Goal"]: `trajectory_msgs/JointTrajectory trajectory\ntrajectory_msgs/MultiDOFJointTrajectory multi_dof_trajectory
control_msgs/JointTolerance[] path_tolerance\ncontrol_msgs/JointComponentTolerance[] component_path_tolerance
control_msgs/JointTolerance[] goal_tolerance\ncontrol_msgs/JointComponentTolerance[] component_goal_tolerance\nduration goal_time_tolerance`,
  [FOLLOW + "Result"]: "int32 error_code\nstring error_string",
  [FOLLOW + "Feedback"]: feedback("", ""),
  [FOLLOW + "Feedback:kilted"]: feedback("int32 index", "int32 multi_dof_index"),
  [FOLLOW + "SendGoal_Request"]: `${UUID} goal_id\n${FOLLOW}Goal goal`,
  [FOLLOW + "SendGoal_Response"]: "bool accepted\ntime stamp",
  [FOLLOW + "GetResult_Request"]: `${UUID} goal_id`,
  [FOLLOW + "GetResult_Response"]: `int8 status\n${FOLLOW}Result result`,
  [FOLLOW + "FeedbackMessage"]: `${UUID} goal_id\n${FOLLOW}Feedback feedback`,
  [FOLLOW + "FeedbackMessage:kilted"]: `${UUID} goal_id\n${FOLLOW}Feedback feedback`,
  "rmw_dds_common/Gid": "uint8[16] data",
  "rmw_dds_common/Gid:humble": "uint8[24] data",
  "rmw_dds_common/NodeEntitiesInfo":
    "string<=256 node_namespace\nstring<=256 node_name\nrmw_dds_common/Gid[] reader_gid_seq\nrmw_dds_common/Gid[] writer_gid_seq",
  "rmw_dds_common/ParticipantEntitiesInfo": "rmw_dds_common/Gid gid\nrmw_dds_common/NodeEntitiesInfo[] node_entities_info_seq",
}

const definition = (name, distro) => {
  const text = texts[name + distro] ?? texts[name]
  return text !== undefined ? parse(text, { ros2: true, skipTypeFixup: true })[0] : (distro === ":humble" ? ros2humble : ros2jazzy)[name]
}
// A message and what is within it, in the form of the writer.
const closure = (name, distro, all = new Map()) => {
  if (all.has(name)) return all
  const found = definition(name, distro)
  all.set(name, { ...found, name: all.size > 0 ? name : undefined })
  for (const f of found.definitions) if (f.isComplex) closure(f.type, distro, all)
  return all
}
const value = (all, name, json) => {
  const out = {}
  for (const f of all.get(name).definitions) {
    const one = v => f.isComplex ? value(all, f.type, v) : v === null ? NaN : v?.nanosec !== undefined ? { sec: v.sec, nsec: v.nanosec } : v
    const v = json[f.name]
    if (f.isConstant) continue
    out[f.name] = f.isArray && f.type === "uint8" ? [...Buffer.from(v, "base64")] : f.isArray ? v.map(one) : one(v)
  }
  return out
}
// That writer is little-endian alone.
const put = (cdr, all, name, message) => {
  for (const f of all.get(name).definitions) {
    const one = v => f.isComplex ? put(cdr, all, f.type, v) : /time|duration/.test(f.type) ? cdr.int32(v.sec).uint32(v.nsec) : cdr[f.type](v)
    if (f.isArray && !f.arrayLength) cdr.sequenceLength(message[f.name].length)
    if (!f.isConstant) [message[f.name]].flat().forEach(one)
  }
}
const write = (name, json) => {
  const [, big, type, distro] = name.match(/^(big )?([^:]*)(.*)$/)
  const plain = type.replace(/\/(msg|srv|action)\//, "/"), all = closure(plain, distro), message = value(all, plain, json)
  if (!big) return new MessageWriter([...all.values()]).writeMessage(message)
  const cdr = new CdrWriter({ kind: EncapsulationKind.CDR_BE })
  put(cdr, all, plain, message)
  return cdr.data
}

const lines = readFileSync(0, "utf8").trimEnd().split("\n")
for (let i = 0; i < lines.length; i += 3)
  console.log([lines[i], lines[i + 1], Buffer.from(write(lines[i], JSON.parse(lines[i + 1]))).toString("hex")].join("\n"))
