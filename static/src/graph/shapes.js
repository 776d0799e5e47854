// Draws entities in the shape of their label, with WebGL. Each is a triangle whose pixels are kept or discarded
// by their distance from the outline, so there is no largest size as there is for points.
import { NodePointProgram, NodeProgram } from "sigma/rendering";
import { floatColor } from "sigma/utils";

const vertex = `
attribute vec4 a_id;
attribute vec4 a_color;
attribute vec2 a_position;
attribute float a_size;
attribute float a_form;
attribute float a_angle;
uniform mat3 u_matrix;
uniform float u_sizeRatio;
uniform float u_correctionRatio;
varying vec4 v_color;
varying vec2 v_at;
varying float v_form;
varying float v_pixel;
const float bias = 255.0 / 254.0;
void main() {
  float radius = a_size * u_correctionRatio / u_sizeRatio * 2.0;
  vec2 corner = 2.7 * vec2(cos(a_angle), sin(a_angle));
  gl_Position = vec4((u_matrix * vec3(a_position + radius * corner, 1)).xy, 0, 1);
  v_at = corner;
  v_form = a_form;
  v_pixel = u_correctionRatio / radius;
#ifdef PICKING_MODE
  v_color = a_id;
#else
  v_color = a_color;
#endif
  v_color.a *= bias;
}`;

// Forms 0 to 5 are circle, square, hexagon, rhombus, triangle and page; adding 8 makes them hollow.
const fragment = `
precision highp float;
varying vec4 v_color;
varying vec2 v_at;
varying float v_form;
varying float v_pixel;
uniform vec3 u_paper;
void main(void) {
  float form = mod(v_form + 0.5, 8.0);
  vec2 p = v_at;
  vec2 q = abs(p);
  float d;
  if (form < 1.0) d = length(p) - 1.0;
  else if (form < 2.0) d = max(q.x, q.y) - 0.88;
  else if (form < 3.0) d = max(q.x * 0.866 + q.y * 0.5, q.y) - 0.92;
  else if (form < 4.0) d = (q.x + q.y) * 0.7071 - 0.82;
  else if (form < 5.0) d = max(0.871 * q.x + 0.491 * p.y - 0.53, -p.y - 0.92);
  else d = max(max(q.x - 0.74, q.y - 1.0), (p.x + p.y - 1.24) * 0.7071);
#ifdef PICKING_MODE
  if (d > 0.35) discard;
  gl_FragColor = v_color;
#else
  float soft = max(v_pixel * 1.5, 0.02);
  float t = smoothstep(-0.5, 0.5, d / soft);
  if (t > 0.99) discard;
  vec4 fill = v_color;
  if (v_form > 7.5) fill.rgb = mix(u_paper, v_color.rgb, smoothstep(-0.5, 0.5, (d + 0.32) / soft));
  gl_FragColor = mix(fill, vec4(0.0), t);
#endif
}`;

// motion tells whether a large picture is moving. Nobody points at an entity then, so the pass that finds it is
// skipped.
export const motion = { on: false };

const { FLOAT, UNSIGNED_BYTE, TRIANGLES } = WebGLRenderingContext;

export class ShapeProgram extends NodeProgram {
  static paper = "#ffffff"; // inside hollow shapes

  renderProgram(params, info) {
    if (!motion.on || !info.isPicking) super.renderProgram(params, info);
  }

  getDefinition() {
    return {
      VERTICES: 3,
      VERTEX_SHADER_SOURCE: vertex,
      FRAGMENT_SHADER_SOURCE: fragment,
      METHOD: TRIANGLES,
      UNIFORMS: ["u_sizeRatio", "u_correctionRatio", "u_matrix", "u_paper"],
      ATTRIBUTES: [
        { name: "a_position", size: 2, type: FLOAT },
        { name: "a_size", size: 1, type: FLOAT },
        { name: "a_form", size: 1, type: FLOAT },
        { name: "a_color", size: 4, type: UNSIGNED_BYTE, normalized: true },
        { name: "a_id", size: 4, type: UNSIGNED_BYTE, normalized: true },
      ],
      CONSTANT_ATTRIBUTES: [{ name: "a_angle", size: 1, type: FLOAT }],
      CONSTANT_DATA: [[0], [(2 * Math.PI) / 3], [(4 * Math.PI) / 3]],
    };
  }

  processVisibleItem(index, at, data) {
    const a = this.array;
    a[at++] = data.x;
    a[at++] = data.y;
    a[at++] = data.size;
    a[at++] = data.form ?? 0;
    a[at++] = floatColor(data.color);
    a[at++] = index;
  }

  setUniforms(params, { gl, uniformLocations }) {
    gl.uniform1f(uniformLocations.u_correctionRatio, params.correctionRatio);
    gl.uniform1f(uniformLocations.u_sizeRatio, params.sizeRatio);
    gl.uniform3f(uniformLocations.u_paper, ...[1, 3, 5].map((i) => Number.parseInt(ShapeProgram.paper.slice(i, i + 2), 16) / 255));
    gl.uniformMatrix3fv(uniformLocations.u_matrix, false, params.matrix);
  }
}

// DotProgram draws entities that are too many for shapes, at half the size while they move.
export class DotProgram extends NodePointProgram {
  renderProgram(params, info) {
    if (!motion.on) super.renderProgram(params, info);
    else if (!info.isPicking) super.renderProgram({ ...params, sizeRatio: params.sizeRatio * 2 }, info);
  }
}

// form returns the number of a label's shape.
export function form(shape) {
  const begins = { M0: shape.path.includes("A") ? 0 : shape.path.startsWith("M0-7.5") ? 3 : 4 };
  const filled = shape.path.startsWith("M0") ? begins.M0 : shape.path.startsWith("M-5.8") ? 1 : shape.path.startsWith("M-3.5") ? 2 : 5;
  return filled + (shape.class.includes("hollow") ? 8 : 0);
}
